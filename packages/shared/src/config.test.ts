import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { commaList, count, flag, milliseconds, oneOf, port, secret, text, url } from './config/variables.ts'
import { type ConfigError, defineConfig, describeConfig, loadConfig, redactConfig } from './config.ts'
import { PermanentError } from './errors.ts'

const engine = {
  shape: {
    ENGINE_URL: url('engine').describe('Where the engine is.'),
    ENGINE_USER: text().optional(),
    ENGINE_PASSWORD: secret().optional(),
  },
  check: (
    values: { ENGINE_USER?: string | undefined; ENGINE_PASSWORD?: string | undefined },
    fault: (name: 'ENGINE_PASSWORD', problem: string, expected: string) => void,
  ) => {
    if (values.ENGINE_USER && !values.ENGINE_PASSWORD)
      fault('ENGINE_PASSWORD', 'is missing', 'a value with ENGINE_USER')
  },
}

const schema = defineConfig(engine, {
  shape: {
    WAIT_MS: milliseconds({ min: 1 }).default(250).describe('How long to wait.'),
    VERBOSE: flag().default(false),
    MODE: oneOf(['fast', 'safe']).default('safe'),
    PEERS: commaList({ item: /^\w+$/, expected: 'names' }).default(['a', 'b']),
  },
})

const faultsOf = (env: Record<string, string>, of: Parameters<typeof loadConfig>[0] = schema): ConfigError => {
  try {
    loadConfig(of, env)
  } catch (error) {
    return error as ConfigError
  }
  throw new Error('the configuration was accepted')
}

describe('loadConfig', () => {
  it('turns variables into typed values and fills in defaults', () => {
    const config = loadConfig(schema, { ENGINE_URL: 'engine://host', VERBOSE: '1', PEERS: 'x, y' })
    expect(config).toEqual({
      ENGINE_URL: 'engine://host',
      ENGINE_USER: undefined,
      ENGINE_PASSWORD: undefined,
      WAIT_MS: 250,
      VERBOSE: true,
      MODE: 'safe',
      PEERS: ['x', 'y'],
    })
    expectTypeOf(config.WAIT_MS).toEqualTypeOf<number>()
    expectTypeOf(config.MODE).toEqualTypeOf<'fast' | 'safe'>()
    expectTypeOf(config.ENGINE_USER).toEqualTypeOf<string | undefined>()
    expectTypeOf(config).not.toHaveProperty('SOMETHING_ELSE')
  })

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig(schema, { ENGINE_URL: 'engine://host', WAIT_MS: '', MODE: ' ' })).toMatchObject({
      WAIT_MS: 250,
      MODE: 'safe',
    })
    expect(faultsOf({ ENGINE_URL: '' }).faults).toMatchObject([{ name: 'ENGINE_URL', problem: 'is missing' }])
  })

  it('reports every fault of every fragment together, cross-variable ones included', () => {
    const error = faultsOf({ ENGINE_USER: 'bell', WAIT_MS: '12abc', VERBOSE: 'maybe', MODE: 'loud', PEERS: 'a,,b' })
    expect(error).toBeInstanceOf(PermanentError)
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toBe(
      [
        'The configuration has 6 fault(s):',
        '  ENGINE_URL is missing; expected a URL that starts with engine://',
        '  WAIT_MS is "12abc"; expected a whole number of milliseconds from 1 to 2147483647',
        '  VERBOSE is "maybe"; expected true, false, 1 or 0',
        '  MODE is "loud"; expected one of fast, safe',
        '  PEERS is "a,,b"; expected names',
        '  ENGINE_PASSWORD is missing; expected a value with ENGINE_USER',
      ].join('\n'),
    )
  })

  it('never repeats a secret, nor a URL that may contain one', () => {
    const strict = defineConfig({ shape: { TOKEN: secret().refine((value) => value.length > 20), LINK: url('https') } })
    const { message } = faultsOf({ TOKEN: 'hunter2', LINK: 'http://me:hunter2@host' }, strict)
    expect(message).toContain('TOKEN is not valid')
    expect(message).toContain('LINK is not valid')
    expect(message).not.toContain('hunter2')
  })

  it('says what zod expected of a type that does not say it by itself', () => {
    const { faults } = faultsOf(
      { NAME: 'x' },
      defineConfig({ shape: { NAME: z.string().min(3, 'at least 3 letters') } }),
    )
    expect(faults).toEqual([{ name: 'NAME', problem: 'is "x"', expected: 'at least 3 letters' }])
  })

  it.each(['12abc', '0x10', '1e3', '1.5', '-1', ' 1', '99999999999999999999', 'NaN'])(
    'refuses %j where a whole number is expected',
    (value) => {
      expect(faultsOf({ N: value }, defineConfig({ shape: { N: count() } })).faults).toHaveLength(1)
    },
  )

  it('keeps numbers within their range', () => {
    const ports = defineConfig({ shape: { A: port(), B: count({ min: 2, max: 3 }) } })
    expect(loadConfig(ports, { A: '65535', B: '3' })).toEqual({ A: 65_535, B: 3 })
    expect(faultsOf({ A: '65536', B: '1' }, ports).faults.map(({ name }) => name)).toEqual(['A', 'B'])
  })
})

describe('defineConfig', () => {
  it('refuses two fragments that declare the same variable differently', () => {
    const one = { shape: { SIZE: count() } }
    expect(() => defineConfig(one, { shape: { SIZE: text() } })).toThrow('SIZE is declared by two config fragments')
    expect(() => defineConfig(one, one)).not.toThrow()
  })
})

describe('describeConfig', () => {
  it('gives a row per variable, with defaults as one would write them', () => {
    const rows = Object.fromEntries(describeConfig(schema).map((row) => [row.name, row]))
    expect(rows.ENGINE_URL).toEqual({
      name: 'ENGINE_URL',
      default: undefined,
      required: true,
      secret: false,
      expected: 'a URL that starts with engine://',
      description: 'Where the engine is.',
    })
    expect(rows.WAIT_MS).toMatchObject({ default: '250', required: false, description: 'How long to wait.' })
    expect(rows.PEERS).toMatchObject({ default: 'a,b' })
    expect(rows.ENGINE_PASSWORD).toMatchObject({ default: undefined, required: false, secret: true })
  })

  it('writes defaults that load back to the same values', () => {
    const rows = describeConfig(schema)
    const env = Object.fromEntries(rows.map((row) => [row.name, row.default]))
    const given = { ENGINE_URL: 'engine://host' }
    expect(loadConfig(schema, { ...env, ...given })).toEqual(loadConfig(schema, given))
  })
})

describe('redactConfig', () => {
  it('hides secrets and credentials in URLs and leaves out what is unset', () => {
    const config = loadConfig(schema, { ENGINE_URL: 'engine://me:hunter2@host/1', ENGINE_PASSWORD: 'hunter2' })
    expect(redactConfig(schema, config)).toEqual({
      ENGINE_URL: 'engine://[redacted]@host/1',
      ENGINE_PASSWORD: '[redacted]',
      WAIT_MS: 250,
      VERBOSE: false,
      MODE: 'safe',
      PEERS: ['a', 'b'],
    })
  })
})
