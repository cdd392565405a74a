import {
  type AvroType,
  type EnumType,
  fullName,
  isNamed,
  type NamedType,
  type RecordField,
  type RecordType,
  type UnionType,
} from './avro-schema.ts'

/** The names of Avro for Java, which clients of Confluent's registry know. */
export type IncompatibilityKind =
  | 'NAME_MISMATCH'
  | 'FIXED_SIZE_MISMATCH'
  | 'MISSING_ENUM_SYMBOLS'
  | 'READER_FIELD_MISSING_DEFAULT_VALUE'
  | 'TYPE_MISMATCH'
  | 'MISSING_UNION_BRANCH'

export interface Incompatibility {
  readonly kind: IncompatibilityKind
  /** JSON pointer into the reader's schema. */
  readonly path: string
  /** The field by its names, `items[].price`; empty at the root. */
  readonly field: string
  readonly detail: string
}

/** Which writer types a reader takes besides its own kind. */
const PROMOTIONS: Readonly<Record<string, readonly string[]>> = {
  long: ['int'],
  float: ['int', 'long'],
  double: ['int', 'long', 'float'],
  bytes: ['string'],
  string: ['bytes'],
}

interface Place {
  readonly path: string
  readonly field: string
}

type Pairs = Map<AvroType, Map<AvroType, readonly Incompatibility[]>>

/**
 * Why data written with `writer` cannot always be read with `reader`, by Avro's schema resolution; empty if it can.
 *
 * Recursive types: a pair that is being compared counts as compatible when it is met again. Should it turn out not to
 * be, what was concluded from that assumption is void, and the comparison starts over with the refuted pair known.
 * Every round refutes at least one pair more, so it ends.
 */
export const findIncompatibilities = (reader: AvroType, writer: AvroType): readonly Incompatibility[] => {
  const refuted: Pairs = new Map()
  for (;;) {
    const round = compareOnce(reader, writer, refuted)
    if (!round.assumptionFailed) return round.found
  }
}

const compareOnce = (reader: AvroType, writer: AvroType, refuted: Pairs) => {
  const settled: Pairs = new Map()
  const open: Pairs = new Map()
  let assumptionFailed = false

  const check: Check = (r, w, at) => {
    const known = refuted.get(r)?.get(w) ?? settled.get(r)?.get(w)
    if (known !== undefined) return known
    const assumed = open.get(r)
    if (assumed?.has(w)) {
      put(open, r, w, ASSUMED)
      return []
    }
    put(open, r, w, [])
    const found = resolve(r, w, at, check)
    if (found.length > 0 && open.get(r)?.get(w) === ASSUMED) {
      put(refuted, r, w, found)
      assumptionFailed = true
    }
    open.get(r)?.delete(w)
    put(settled, r, w, found)
    return found
  }

  return { found: check(reader, writer, { path: '', field: '' }), assumptionFailed }
}

type Check = (reader: AvroType, writer: AvroType, at: Place) => readonly Incompatibility[]

/** Marks, by identity, an open pair whose compatibility somebody relied on. */
const ASSUMED: readonly Incompatibility[] = []

const put = (pairs: Pairs, reader: AvroType, writer: AvroType, found: readonly Incompatibility[]) => {
  const row = pairs.get(reader) ?? new Map<AvroType, readonly Incompatibility[]>()
  pairs.set(reader, row.set(writer, found))
}

const resolve = (reader: AvroType, writer: AvroType, at: Place, check: Check): readonly Incompatibility[] => {
  if (writer.kind === 'union') return writer.branches.flatMap((branch) => check(reader, branch, at))
  if (reader.kind === 'union') return resolveIntoUnion(reader, writer, at, check)
  if (reader.kind === 'array' && writer.kind === 'array') {
    return check(reader.items, writer.items, step(at, 'items', `${at.field}[]`))
  }
  if (reader.kind === 'map' && writer.kind === 'map') {
    return check(reader.values, writer.values, step(at, 'values', `${at.field}{}`))
  }
  if (isNamed(reader) && isNamed(writer) && reader.kind === writer.kind) {
    return [...compareNames(reader, writer, at), ...compareNamed(reader, writer, at, check)]
  }
  if (reader.kind === writer.kind || PROMOTIONS[reader.kind]?.includes(writer.kind)) return []
  const detail = `reader type: ${kindName(reader)} not compatible with writer type: ${kindName(writer)}`
  return [{ kind: 'TYPE_MISMATCH', ...at, detail }]
}

const resolveIntoUnion = (reader: UnionType, writer: AvroType, at: Place, check: Check): readonly Incompatibility[] => {
  const attempts = reader.branches.map((branch, index) => ({
    branch,
    found: check(branch, writer, step(at, String(index), at.field)),
  }))
  if (attempts.some(({ found }) => found.length === 0)) return []
  // The branch that was meant is known by its name: what is wrong inside it says more than "no branch fits".
  const meant = attempts.find(({ branch }) => isNamed(branch) && isNamed(writer) && sameName(branch, writer))
  if (meant !== undefined) return meant.found
  return [{ kind: 'MISSING_UNION_BRANCH', ...at, detail: `reader union lacking writer type: ${kindName(writer)}` }]
}

const compareNames = (reader: NamedType, writer: NamedType, at: Place): Incompatibility[] =>
  sameName(reader, writer)
    ? []
    : [{ kind: 'NAME_MISMATCH', ...step(at, 'name', at.field), detail: `expected: ${fullName(writer)}` }]

/** The namespace does not count, as the Avro specification has it; aliases do, by their full name. */
const sameName = (reader: NamedType, writer: NamedType): boolean =>
  reader.name === writer.name || reader.aliases.includes(fullName(writer))

const compareNamed: (reader: NamedType, writer: NamedType, at: Place, check: Check) => readonly Incompatibility[] = (
  reader,
  writer,
  at,
  check,
) => {
  if (reader.kind === 'record' && writer.kind === 'record') return compareFields(reader, writer, at, check)
  if (reader.kind === 'enum' && writer.kind === 'enum') return compareSymbols(reader, writer, at)
  if (reader.kind === 'fixed' && writer.kind === 'fixed' && reader.size !== writer.size) {
    const detail = `expected: ${writer.size}, found: ${reader.size}`
    return [{ kind: 'FIXED_SIZE_MISMATCH', ...step(at, 'size', at.field), detail }]
  }
  return []
}

const compareFields = (reader: RecordType, writer: RecordType, at: Place, check: Check): readonly Incompatibility[] =>
  reader.fields.flatMap((field, index) => {
    const name = at.field === '' ? field.name : `${at.field}.${field.name}`
    const place = step(at, `fields/${index}`, name)
    const sources = writer.fields.filter((candidate) => suppliesTo(field, candidate))
    if (sources.length > 1) {
      const detail = `reader field ${field.name} matches multiple writer fields: ${sources.map((s) => s.name).join(', ')}`
      return [{ kind: 'NAME_MISMATCH' as const, ...place, detail }]
    }
    const [source] = sources
    if (source !== undefined) return check(field.type, source.type, step(place, 'type', name))
    if (field.default !== undefined) return []
    return [{ kind: 'READER_FIELD_MISSING_DEFAULT_VALUE' as const, ...place, detail: name }]
  })

const suppliesTo = (reader: RecordField, writer: RecordField): boolean =>
  reader.name === writer.name || reader.aliases.includes(writer.name)

const compareSymbols = (reader: EnumType, writer: EnumType, at: Place): Incompatibility[] => {
  const missing = writer.symbols.filter((symbol) => !reader.symbols.includes(symbol))
  if (missing.length === 0 || reader.default !== undefined) return []
  return [{ kind: 'MISSING_ENUM_SYMBOLS', ...step(at, 'symbols', at.field), detail: `[${missing.join(', ')}]` }]
}

const step = (at: Place, key: string, field: string): Place => ({ path: `${at.path}/${key}`, field })

const kindName = (type: AvroType): string => type.kind.toUpperCase()
