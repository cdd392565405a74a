import type avro from 'avsc'
import { undeclaredKeys } from './strict-values.ts'

export interface Misfit {
  /** `channels[1]`, `data.price`, or empty for the value itself. */
  readonly path: string
  readonly message: string
}

/** Where and how a value does not fit. Slow and thorough: only for a value that was refused already. */
export function describeMisfits(type: avro.Type, value: unknown): Misfit[] {
  const misfits: Misfit[] = []
  const report = (steps: string[], message: string) => misfits.push({ path: formatPath(value, steps), message })

  type.isValid(value, { errorHook: (steps, found, expected) => report(steps, mismatch(expected, found)) })
  type.isValid(value, {
    noUndeclaredFields: true,
    errorHook: (steps, found, expected) => {
      if (expected.typeName !== 'record') return
      const declared = (expected as avro.types.RecordType).fields.map((field) => field.name)
      for (const key of undeclaredKeys(declared, found)) report([...steps, key], `is not a field of ${expected.name}`)
    },
  })
  return misfits
}

/** Says what kind of value was found, not its text: this ends in logs and dead letters, and texts can be personal. */
function mismatch(expected: avro.Type, found: unknown): string {
  return `is ${describeFound(found)} where the schema has ${describeType(expected)}`
}

function describeFound(found: unknown): string {
  if (found === null) return 'null'
  if (found === undefined) return 'missing'
  if (typeof found === 'number') return `the number ${found}`
  if (typeof found === 'object') return Array.isArray(found) ? 'an array' : `an object (${found.constructor?.name})`
  return `a ${typeof found}`
}

function describeType(type: avro.Type): string {
  if (type.typeName === 'enum') return `one of ${(type as avro.types.EnumType).symbols.join(', ')}`
  if (type.typeName.startsWith('union')) {
    return (type as avro.types.UnwrappedUnionType).types.map(describeType).join(' or ')
  }
  return type.name ?? type.typeName
}

function formatPath(root: unknown, steps: readonly string[]): string {
  let path = ''
  let parent = root
  for (const step of steps) {
    if (Array.isArray(parent)) path += `[${step}]`
    else path += path === '' ? step : `.${step}`
    parent = (parent as Record<string, unknown> | null | undefined)?.[step]
  }
  return path
}
