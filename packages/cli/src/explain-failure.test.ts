import { RegistryRefusedError, RegistryUnavailableError } from '@dropbell/schemas/codec-errors'
import { ConfigError } from '@dropbell/shared/config'
import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { CliError } from './cli-error.ts'
import { explainFailure } from './explain-failure.ts'

const explain = (error: unknown, debug = false) => explainFailure(error, { debug })

describe('exit codes', () => {
  it.each([
    ['help that was asked for', new CommanderError(0, 'commander.helpDisplayed', 'help'), 0],
    ['a mistake on the command line', new CommanderError(1, 'commander.unknownOption', 'unknown'), 2],
    ['a configuration with faults', new ConfigError([{ name: 'A', problem: 'is missing', expected: 'a text' }]), 78],
    ['a registry that does not answer', new RegistryUnavailableError('GET http://r/subjects', 'refused'), 3],
    ['a registry that refuses', new RegistryRefusedError('POST http://r/subjects', 409, 'incompatible'), 1],
    ['a failure that knows its own', new CliError({ code: 'X', message: 'x', exitCode: 130 }), 130],
    ['anything else', new TypeError('x is undefined'), 70],
    ['something that is no error', 'text', 70],
  ])('%s ends with its code', (_, error, exitCode) => {
    expect(explain(error).exitCode).toBe(exitCode)
  })
})

describe('messages', () => {
  it('say what to do about it', () => {
    const error = new CliError({ code: 'X', message: 'No answer.', hint: 'Start it.', exitCode: 3 })
    expect(explain(error).lines).toEqual(['No answer.', 'Start it.'])
  })

  it('do not repeat what commander has said', () => {
    expect(explain(new CommanderError(1, 'commander.unknownOption', 'unknown')).lines).toEqual([])
  })

  it('have no stack trace without --debug', () => {
    expect(explain(new TypeError('x is undefined')).lines.join('\n')).not.toContain('    at ')
  })

  it('have the stacks of the failure and its causes with --debug', () => {
    const error = new CliError({ code: 'X', message: 'outer', exitCode: 3, cause: new TypeError('inner') })
    const text = explain(error, true).lines.join('\n')
    expect(text).toMatch(/outer\n {4}at /)
    expect(text).toMatch(/Caused by: TypeError: inner\n {4}at /)
  })
})
