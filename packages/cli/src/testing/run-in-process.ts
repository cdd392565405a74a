import { join } from 'node:path'
import type { Environment } from '@dropbell/shared/config'
import { createOutput, type TextStream } from '../output.ts'
import { runProgram } from '../program.ts'

export interface RecordedStream extends TextStream {
  text(): string
}

export const recordStream = ({ isTTY = false }: { isTTY?: boolean } = {}): RecordedStream => {
  let recorded = ''
  return {
    isTTY,
    write: (text) => {
      recorded += text
    },
    text: () => recorded,
  }
}

export interface InProcessRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const committedAvro = join(import.meta.dirname, '../../../schemas/avro')

/** A command line without a process of its own, for what ends before anything is connected. */
export const runInProcess = async (
  args: readonly string[],
  { env = {}, avroFolder = committedAvro }: { env?: Environment; avroFolder?: string } = {},
): Promise<InProcessRun> => {
  const stdout = recordStream()
  const stderr = recordStream()
  const output = createOutput({ stdout, stderr, env })
  const { signal } = new AbortController()
  const code = await runProgram(args, { env, output, signal, operator: 'ann@shop', avroFolder, version: '1.2.3' })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}
