import { styleText } from 'node:util'
import type { Environment } from '@dropbell/shared/config'
import { printableJson } from './printable.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim' | 'bold'

export interface TextStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Answers go to stdout; whatever speaks about the work itself goes to stderr, so that stdout can be piped. */
export interface Output {
  print(text: string): void
  printJson(value: unknown): void
  warn(text: string): void
  /** One line that the next one replaces. Only on a terminal. */
  progress(text: string): void
  /** Whether `progress` is seen; if not, what takes long says so by a line now and then. */
  readonly showsProgress: boolean
  paint(colour: Colour, text: string): string
}

export interface OutputOptions {
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Environment
}

const clearLine = '\r\u001b[2K'

export const createOutput = ({ stdout, stderr, env }: OutputOptions): Output => {
  const coloured = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const showsProgress = stderr.isTTY === true && env.TERM !== 'dumb'
  let progressShown = false

  const clearProgress = (): void => {
    if (progressShown) stderr.write(clearLine)
    progressShown = false
  }
  const writeLine = (stream: TextStream, text: string): void => {
    clearProgress()
    stream.write(`${text}\n`)
  }

  return {
    print: (text) => writeLine(stdout, text),
    printJson: (value) => writeLine(stdout, printableJson(value, 2)),
    warn: (text) => writeLine(stderr, text),
    progress: (text) => {
      if (!showsProgress) return
      stderr.write(`${clearLine}${text}`)
      progressShown = true
    },
    showsProgress,
    // Whether to paint is decided above; newer versions of Node would look at the process's own stdout again.
    paint: (colour, text) => (coloured ? styleText(colour, text, { validateStream: false }) : text),
  }
}
