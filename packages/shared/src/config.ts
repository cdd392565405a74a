import type { z } from 'zod'
import { describeVariable } from './config/describe-variable.ts'
import { PermanentError } from './errors.ts'
import { redactCredentials, redacted } from './redact-credentials.ts'

/** The variables of one concern, by the names they have in the environment. */
export type ConfigShape = Record<string, z.ZodType>

export type ConfigValues<S extends ConfigShape> = { [Name in keyof S]: z.output<S[Name]> }

export type ReportFault<S extends ConfigShape> = (name: keyof S & string, problem: string, expected: string) => void

/**
 * `check` looks at several variables at once. It also runs when other variables are faulty (those are undefined
 * then), so that everything wrong is known after one start.
 */
export interface ConfigFragment<S extends ConfigShape = ConfigShape> {
  shape: S
  check?(values: Partial<ConfigValues<S>>, fault: ReportFault<S>): void
}

export interface ConfigSchema<S extends ConfigShape = ConfigShape> {
  shape: S
  checks: readonly NonNullable<ConfigFragment['check']>[]
}

export type Config<Schema extends { shape: ConfigShape }> = ConfigValues<Schema['shape']>

// biome-ignore lint/suspicious/noExplicitAny: `check` is contravariant in its shape, so no narrower bound admits all fragments
type AnyFragment = ConfigFragment<any>

type MergedShape<F extends readonly AnyFragment[]> = F extends readonly [
  infer Head extends AnyFragment,
  ...infer Tail extends readonly AnyFragment[],
]
  ? Head['shape'] & MergedShape<Tail>
  : unknown

type SchemaOf<F extends readonly AnyFragment[]> =
  MergedShape<F> extends infer S extends ConfigShape ? ConfigSchema<{ [Name in keyof S]: S[Name] }> : never

export const defineConfig = <const F extends readonly AnyFragment[]>(...fragments: F): SchemaOf<F> => {
  const shape: ConfigShape = {}
  for (const [name, type] of fragments.flatMap((fragment) => Object.entries<z.ZodType>(fragment.shape))) {
    if (shape[name] !== undefined && shape[name] !== type) {
      throw new PermanentError('CONFIG_DECLARED_TWICE', `${name} is declared by two config fragments`)
    }
    shape[name] = type
  }
  return { shape, checks: fragments.flatMap((fragment) => fragment.check ?? []) } as ConfigSchema as SchemaOf<F>
}

export interface ConfigFault {
  name: string
  problem: string
  expected: string
}

export class ConfigError extends PermanentError {
  override readonly name = 'ConfigError'
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map(({ name, problem, expected }) => `  ${name} ${problem}; expected ${expected}`)
    super('CONFIG_INVALID', `The configuration has ${faults.length} fault(s):\n${lines.join('\n')}`)
    this.faults = faults
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Throws one ConfigError with everything that is wrong. An empty variable counts as unset, as in Compose files. */
export const loadConfig = <S extends ConfigShape>(schema: ConfigSchema<S>, env: Environment): ConfigValues<S> => {
  const values: Record<string, unknown> = {}
  const faults = new Map<string, ConfigFault>()
  for (const [name, type] of Object.entries(schema.shape)) {
    const raw = env[name]?.trim() === '' ? undefined : env[name]
    const result = type.safeParse(raw)
    if (result.success) values[name] = result.data
    else faults.set(name, describeFault(name, type, raw, result.error))
  }
  for (const check of schema.checks) {
    check(values, (name, problem, expected) => {
      if (!faults.has(name)) faults.set(name, { name, problem, expected })
    })
  }
  if (faults.size > 0) throw new ConfigError([...faults.values()])
  return values as ConfigValues<S>
}

const describeFault = (name: string, type: z.ZodType, raw: string | undefined, error: z.ZodError): ConfigFault => {
  const { expected, secret, mayHoldCredentials } = describeVariable(type)
  return {
    name,
    problem: raw === undefined ? 'is missing' : secret || mayHoldCredentials ? 'is not valid' : `is "${raw}"`,
    expected: expected ?? error.issues.map((issue) => issue.message).join(', '),
  }
}

export interface ConfigRow {
  name: string
  /** As one would write it in the environment. */
  default: string | undefined
  required: boolean
  secret: boolean
  expected: string | undefined
  description: string
}

/** The rows of the documentation's table of variables and of `.env.example`. */
export const describeConfig = (schema: { shape: ConfigShape }): ConfigRow[] =>
  Object.entries(schema.shape).map(([name, type]) => {
    const { mayHoldCredentials: _, ...row } = describeVariable(type)
    return { name, ...row }
  })

/** The configuration as it may be printed. */
export const redactConfig = <S extends ConfigShape>(
  schema: ConfigSchema<S>,
  config: ConfigValues<S>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.shape)
      .filter(([name]) => config[name] !== undefined)
      .map(([name, type]) => [name, describeVariable(type).secret ? redacted : redactValue(config[name])]),
  )

const redactValue = (value: unknown): unknown => {
  if (typeof value === 'string') return redactCredentials(value)
  return Array.isArray(value) ? value.map(redactValue) : value
}
