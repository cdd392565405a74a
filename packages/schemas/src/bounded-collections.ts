import avro from 'avsc'
import { internals, type MisfitHook, type Tap } from './avro-internals.ts'

const { ArrayType, MapType } = avro.types

/**
 * avsc loops as often as a block count in the bytes says: eight bad bytes keep it busy for hours, or send it backwards
 * for ever. No type here has items of zero bytes, so a block never has more items than there are bytes left.
 */
function checkedCount(tap: Tap, count: number): number {
  if (count <= tap.buf.length - tap.pos) return count
  throw new RangeError('a block is longer than the record')
}

function readBlockCount(tap: Tap): number {
  const count = tap.readLong()
  if (count >= 0) return checkedCount(tap, count)
  tap.skipLong()
  return checkedCount(tap, -count)
}

function skipBlocks(tap: Tap, skipItem: () => void): void {
  for (let count = tap.readLong(); count !== 0; count = tap.readLong()) {
    if (count < 0) {
      const bytes = tap.readLong()
      if (bytes < 0) throw new RangeError('a block has a negative size')
      tap.pos += checkedCount(tap, bytes)
    } else {
      for (let left = checkedCount(tap, count); left > 0; left--) skipItem()
    }
  }
}

export class BoundedArrayType extends ArrayType {
  _read(tap: Tap): unknown[] {
    const items = internals(this.itemsType)
    const values: unknown[] = []
    for (let count = readBlockCount(tap); count > 0; count = readBlockCount(tap)) {
      for (; count > 0; count--) values.push(items._read(tap))
    }
    return values
  }

  _skip(tap: Tap): void {
    skipBlocks(tap, () => internals(this.itemsType)._skip(tap))
  }
}

export class BoundedMapType extends MapType {
  _read(tap: Tap): Record<string, unknown> {
    const valuesType = internals(this.valuesType)
    const entries: Record<string, unknown> = {}
    for (let count = readBlockCount(tap); count > 0; count = readBlockCount(tap)) {
      for (; count > 0; count--) {
        const key = tap.readString()
        const value = valuesType._read(tap)
        // Assigning to this one key would change the prototype instead, or do nothing.
        if (key === '__proto__') Object.defineProperty(entries, key, { value, enumerable: true, configurable: true })
        else entries[key] = value
      }
    }
    return entries
  }

  _skip(tap: Tap): void {
    skipBlocks(tap, () => {
      tap.skipString()
      internals(this.valuesType)._skip(tap)
    })
  }

  // avsc takes any object and writes its own keys: a `Map` or a `Date` would go out as an empty map.
  _check(value: unknown, flags: number, hook?: MisfitHook, path?: string[]): boolean {
    if (isPlainObject(value)) return internals(MapType.prototype)._check.call(this, value, flags, hook, path)
    hook?.(value, this)
    return false
  }

  _write(tap: Tap, value: unknown): void {
    if (!isPlainObject(value)) throw new TypeError('not a plain object')
    internals(MapType.prototype)._write.call(this, tap, value)
  }
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
