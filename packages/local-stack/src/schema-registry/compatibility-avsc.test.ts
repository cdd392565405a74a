import avsc from 'avsc'
import { expect, test } from 'vitest'
import { findIncompatibilities } from './compatibility.ts'
import { parseAvro } from './parse-avro.ts'
import { parseJson } from './parse-json.ts'

/**
 * The rules of resolution, judged against a second implementation on generated pairs of schemas.
 *
 * avsc leaves the Avro specification at one place: it keeps resolvers of record pairs by name while it resolves, those
 * too that failed in a branch of a union, and takes such a one for a success when the pair comes up again. Its yes
 * is therefore believed only if the resolver reads what a writer wrote.
 */
const PAIRS = 5_000
const SAMPLES = 5

type Random = () => number

const seeded = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const some = <T>(random: Random, items: readonly T[], chance = 0.6): T[] => items.filter(() => random() < chance)

const PRIMITIVES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const
const DEFAULTS: Record<string, unknown> = {
  null: null,
  boolean: true,
  int: 1,
  long: 2,
  float: 1.5,
  double: 2.5,
  bytes: 'x',
  string: 'y',
}

/** Few names and few kinds, so that independent schemas of one seed often have to do with each other. */
const generate = (random: Random) => {
  const defined = new Set<string>()
  const schema = (depth: number, inUnion = false): unknown => {
    const roll = random()
    if (depth === 0 || roll < 0.35) return pick(random, PRIMITIVES)
    if (roll < 0.55) return named(depth, pick(random, ['A', 'B', 'C']), record)
    if (roll < 0.65) return named(depth, pick(random, ['E', 'F']), enumeration)
    if (roll < 0.7) return named(depth, 'X', (name) => ({ type: 'fixed', name, size: pick(random, [2, 2, 3]) }))
    if (roll < 0.8) return { type: 'array', items: schema(depth - 1) }
    if (roll < 0.85) return { type: 'map', values: schema(depth - 1) }
    return inUnion ? pick(random, PRIMITIVES) : union(depth)
  }
  const named = (depth: number, name: string, define: (name: string, depth: number) => unknown): unknown => {
    if (defined.has(name)) return name
    defined.add(name)
    return define(name, depth)
  }
  const record = (name: string, depth: number) => ({
    type: 'record',
    name,
    ...(random() < 0.2 && { aliases: some(random, ['A', 'B', 'C']).filter((alias) => alias !== name) }),
    fields: some(random, ['a', 'b', 'c', 'd'], 0.5).map((field) => {
      const type = schema(depth - 1)
      const fallback = DEFAULTS[String(Array.isArray(type) ? type[0] : type)]
      const aliases = random() < 0.15 ? [pick(random, ['a', 'b', 'c', 'd'])].filter((alias) => alias !== field) : []
      return { name: field, type, aliases, ...(fallback !== undefined && random() < 0.6 && { default: fallback }) }
    }),
  })
  const enumeration = (name: string) => {
    const symbols = ['P', ...some(random, ['Q', 'R'])]
    return { type: 'enum', name, symbols, ...(random() < 0.3 && { default: 'P' }) }
  }
  const union = (depth: number) => {
    const branches = new Map<string, unknown>()
    for (let i = 0; i < 3; i++) {
      const branch = schema(depth - 1, true)
      const kind = typeof branch === 'string' ? branch : nameOf(branch as { type: string; name?: string })
      if (!branches.has(kind)) branches.set(kind, branch)
      // A definition that is dropped here must not be referred to later.
      else if (typeof branch === 'object') return 'int'
    }
    return [...branches.values()]
  }
  return schema(3)
}

/** The same schema some edits later: what two versions of a subject look like. */
const evolve = (random: Random, schema: unknown): unknown => {
  if (typeof schema === 'string')
    return random() < 0.1 && schema !== schema.toUpperCase() ? pick(random, PRIMITIVES) : schema
  if (Array.isArray(schema)) return schema.filter(() => random() < 0.9).map((branch) => evolve(random, branch))
  if (typeof schema !== 'object' || schema === null) return schema
  const edited = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'items' || key === 'values') return [key, evolve(random, value)]
    if (key === 'symbols') return [key, [...some(random, value as string[], 0.9), ...some(random, ['S'], 0.1)]]
    if (key === 'fields') return [key, some(random, value as object[], 0.9).map((field) => evolveField(random, field))]
    return [key, value]
  })
  return Object.fromEntries(edited.filter(([key]) => key !== 'default' || random() < 0.9))
}

const evolveField = (random: Random, field: object): object => {
  const { type, default: fallback, ...rest } = field as { type: unknown; default?: unknown }
  const next = evolve(random, type)
  // A default that fitted the old type may not fit the new one.
  return { ...rest, type: next, ...(next === type && fallback !== undefined && { default: fallback }) }
}

const nameOf = ({ type, name }: { type: string; name?: string }): string => name ?? type

const isValid = (schema: unknown): boolean => {
  try {
    parseAvro(parseJson(JSON.stringify(schema)))
    typeOf(schema)
    return true
  } catch {
    return false
  }
}

const avscSays = (reader: unknown, writer: unknown): boolean => {
  const [r, w] = [typeOf(reader), typeOf(writer)]
  const samples = samplesOf(w)
  try {
    const resolver = r.createResolver(w)
    for (const sample of samples) r.fromBuffer(sample, resolver)
    return true
  } catch {
    return false
  }
}

const typeOf = (schema: unknown): avsc.Type => avsc.Type.forSchema(schema as avsc.Schema, { wrapUnions: true })

const samplesOf = (writer: avsc.Type): Buffer[] => {
  try {
    return Array.from({ length: SAMPLES }, () => writer.toBuffer(writer.random()))
  } catch (error) {
    // A record that directly contains itself has no values.
    if (error instanceof RangeError) return []
    throw error
  }
}

test(`agrees with avsc on ${PAIRS} generated pairs`, () => {
  const random = seeded(20_260_801)
  const verdicts = { yes: 0, no: 0 }
  for (let i = 0; i < PAIRS; i++) {
    const reader = generate(random)
    const writer = random() < 0.5 ? generate(random) : evolve(random, reader)
    if (!isValid(reader) || !isValid(writer)) continue
    const [r, w] = [reader, writer].map((schema) => parseAvro(parseJson(JSON.stringify(schema))))
    const ours = findIncompatibilities(r as never, w as never).length === 0
    verdicts[ours ? 'yes' : 'no']++
    expect({ reader, writer, compatible: ours }).toEqual({ reader, writer, compatible: avscSays(reader, writer) })
  }
  expect(verdicts.yes).toBeGreaterThan(400)
  expect(verdicts.no).toBeGreaterThan(400)
}, 60_000)
