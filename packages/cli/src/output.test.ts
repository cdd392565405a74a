import { describe, expect, it } from 'vitest'
import { createOutput } from './output.ts'
import { recordStream } from './testing/run-in-process.ts'

const open = (options: { isTTY: boolean; env?: Record<string, string> }) => {
  const stdout = recordStream(options)
  const stderr = recordStream(options)
  return { stdout, stderr, output: createOutput({ stdout, stderr, env: options.env ?? {} }) }
}

describe('colours', () => {
  it('are used on a terminal', () => {
    expect(open({ isTTY: true }).output.paint('red', 'no')).toBe('\u001b[31mno\u001b[39m')
  })

  it.each([
    ['in a pipe', { isTTY: false }],
    ['with NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }],
    ['on a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }],
  ])('are not used %s', (_, options) => {
    expect(open(options).output.paint('red', 'no')).toBe('no')
  })
})

describe('progress', () => {
  it('is not shown when nobody watches', () => {
    const { output, stdout, stderr } = open({ isTTY: false })
    output.progress('Reading …')
    expect(stdout.text() + stderr.text()).toBe('')
  })

  it('is wiped away before an answer', () => {
    const { output, stdout, stderr } = open({ isTTY: true })
    output.progress('Reading …')
    output.print('done')
    expect(stderr.text().endsWith('Reading …\r\u001b[2K')).toBe(true)
    expect(stdout.text()).toBe('done\n')
  })
})

it('prints JSON that a program can read back', () => {
  const { output, stdout } = open({ isTTY: false })
  output.printJson({ topics: ['a'] })
  expect(JSON.parse(stdout.text())).toEqual({ topics: ['a'] })
})
