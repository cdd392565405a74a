import { dirname, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EngineCommand } from '../processes/engine-process.ts'

/** Whether this package runs from source or built, its programs run the same way. */
const extension = extname(fileURLToPath(import.meta.url))
const loader = extension === '.ts' ? ['--conditions=source', '--import=tsx'] : []

/** The command of an engine that is a program of this package, by the folder it is in. */
export const nodeProgram = (folder: string, env: Record<string, string>): EngineCommand => {
  const program = fileURLToPath(new URL(`../${folder}/main${extension}`, import.meta.url))
  return {
    file: process.execPath,
    args: [...loader, program],
    cwd: dirname(program), // where the loader is found
    env,
  }
}
