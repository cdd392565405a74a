import avro from 'avsc'
import { internals, type MisfitHook, type Tap } from './avro-internals.ts'
import { toShortestFloat32 } from './price.ts'

const { EnumType, FloatType, IntType, RecordType } = avro.types

/**
 * avsc looks symbols up in a plain object, whatever the value: it takes `constructor` and `['PUSH']` for symbols, and
 * writes the former as the first one there is.
 */
export class StrictEnumType extends EnumType {
  declare private readonly _indices: Record<string, number>

  constructor(schema: avro.Schema, options: object) {
    super(schema, options)
    Object.setPrototypeOf(this._indices, null)
  }

  _check(value: unknown, _flags: number, hook?: MisfitHook): boolean {
    const known = typeof value === 'string' && this._indices[value] !== undefined
    if (!known) hook?.(value, this)
    return known
  }

  _write(tap: Tap, value: unknown): void {
    const index = typeof value === 'string' ? this._indices[value] : undefined
    if (index === undefined) throw new TypeError('not a symbol of the enum')
    tap.writeLong(index)
  }
}

/**
 * The only floats in these contracts are prices. What is read is the shortest decimal, once and for everybody. What is
 * written must be a number a price can be: avsc would turn 1e39 into infinity.
 */
export class PriceFloatType extends FloatType {
  _read(tap: Tap): number {
    return toShortestFloat32(tap.readFloat())
  }

  _check(value: unknown, _flags: number, hook?: MisfitHook): boolean {
    const fits = fitsFloat32(value)
    if (!fits) hook?.(value, this)
    return fits
  }

  _write(tap: Tap, value: unknown): void {
    if (!fitsFloat32(value)) throw new TypeError('not a finite float32')
    tap.writeFloat(value as number)
  }
}

const fitsFloat32 = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(Math.fround(value))

/** avsc writes 32 bits, but reads as many as come. */
export class StrictIntType extends IntType {
  _read(tap: Tap): number {
    const value = tap.readLong()
    if ((value | 0) !== value) throw new RangeError('an int has more than 32 bits')
    return value
  }
}

/** avsc writes the fields it knows and drops the rest. Here a field the schema does not declare is an error. */
export class ClosedRecordType extends RecordType {
  _createWriter(): (tap: Tap, value: unknown) => void {
    const write = internals(RecordType.prototype)._createWriter.call(this)
    const declared = this.fields.map((field) => field.name)
    const hasOnlyDeclaredKeys = compileKeyCount(declared)
    return (tap, value) => {
      if (!hasOnlyDeclaredKeys(value) && undeclaredKeys(declared, value).length > 0) {
        throw new TypeError('an undeclared field')
      }
      write(tap, value)
    }
  }
}

/**
 * Whether a value has as many keys as it has declared fields: if so, it has no others. Written out field by field, as
 * avsc does for its readers and writers, this is several times faster than looking up every key.
 */
function compileKeyCount(declared: readonly string[]): (value: unknown) => boolean {
  const present = declared.map((name) => `(value.${name} !== undefined)`).join(' + ')
  const body = `let keys = 0; for (const key in value) keys++; return keys === ${present || 0}`
  return new Function('value', body) as (value: unknown) => boolean
}

/** A key that is inherited, or there but undefined, carries nothing that could be lost. */
export function undeclaredKeys(declared: readonly string[], value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value).filter(([, held]) => held !== undefined)
  return entries.map(([key]) => key).filter((key) => !declared.includes(key))
}
