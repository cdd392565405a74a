import type avro from 'avsc'

/**
 * The functions of an avsc type that do its work. They are not in avsc's declarations, but they are how its own
 * types are composed; `strict-avro.test.ts` notices if a new version of avsc does without them.
 */
export interface AvroInternals {
  _read(tap: Tap): unknown
  _skip(tap: Tap): void
  _write(tap: Tap, value: unknown): void
  _check(value: unknown, flags: number, hook?: MisfitHook, path?: string[]): boolean
  _createWriter(): (tap: Tap, value: unknown) => void
}

export interface Tap {
  readonly buf: Buffer
  pos: number
  readLong(): number
  readFloat(): number
  skipLong(): void
  readString(): string
  skipString(): void
  writeLong(value: number): void
  writeFloat(value: number): void
}

export type MisfitHook = (value: unknown, type: avro.Type) => void

export const internals = (type: unknown): AvroInternals => type as AvroInternals
