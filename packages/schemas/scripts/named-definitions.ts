import type { AvroSchema, AvroTypeDefinition } from '../src/contract.ts'

/** The records and enums a schema defines, by full name, outermost first. */
export function namedDefinitionsOf(schema: AvroSchema): Map<string, AvroTypeDefinition> {
  const found = new Map<string, AvroTypeDefinition>()
  collect(schema, undefined, found)
  return found
}

function collect(schema: AvroSchema, outer: string | undefined, found: Map<string, AvroTypeDefinition>): void {
  if (typeof schema === 'string') return
  if (Array.isArray(schema)) {
    for (const branch of schema) collect(branch, outer, found)
    return
  }
  const namespace = schema.namespace ?? outer
  if (schema.name !== undefined) found.set(qualify(schema.name, namespace), schema)
  for (const field of schema.fields ?? []) collect(field.type, namespace, found)
  for (const nested of [schema.items, schema.values]) if (nested !== undefined) collect(nested, namespace, found)
}

export function qualify(name: string, namespace: string | undefined): string {
  return name.includes('.') || namespace === undefined ? name : `${namespace}.${name}`
}

export const simpleName = (fullName: string): string => fullName.slice(fullName.lastIndexOf('.') + 1)

export const kebabCase = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()

export const camelCase = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)
