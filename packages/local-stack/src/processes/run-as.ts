import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EngineUser, giveTo } from './engine-user.ts'

const run = promisify(execFile)

/** Runs a tool of an engine to its end, as the engine's user, who first gets all that lies in the directory. */
export const runAs = async (
  user: EngineUser | undefined,
  file: string,
  args: string[],
  directory: string,
): Promise<void> => {
  await giveAll(user, directory)
  const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: directory }
  await run(file, args, { cwd: directory, env, ...user }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${file} failed: ${error.stderr || error.stdout || error.message}`, { cause: error })
    },
  )
}

export const giveAll = async (user: EngineUser | undefined, directory: string): Promise<void> => {
  if (!user) return
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => !entry.isSymbolicLink()).map(({ parentPath, name }) => join(parentPath, name))
  await giveTo(user, directory, ...paths)
}
