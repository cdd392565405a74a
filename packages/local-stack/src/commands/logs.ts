import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Stack } from '../stack.ts'

/** Prints the end of the engines' logs; `follow` goes on until Ctrl-C. */
export const printLogs = async (
  stack: Stack,
  name: string | undefined,
  lines: number,
  follow: boolean,
): Promise<void> => {
  if (name) stack.engine(name) // complains about a name that does not exist
  const files = stack.runners
    .filter(({ engine }) => !name || engine.name === name)
    .map(({ logFile }) => logFile)
    .filter(existsSync)
  if (files.length === 0) throw new Error('There are no logs yet; `npx pnpm stack up` starts the engines')
  const tail = spawn('tail', ['-n', String(lines), ...(follow ? ['-F'] : []), ...files], { stdio: 'inherit' })
  await once(tail, 'exit')
}
