import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'

/** Paths and the text they should have. */
export type OutputFiles = ReadonlyMap<string, string>

/**
 * Writes the files, or with `--check` only compares them and fails if one is out of date.
 */
export async function writeOrCheck(files: OutputFiles, command: string): Promise<void> {
  const stale: string[] = []
  for (const [path, text] of files) {
    if ((await readIfThere(path)) !== text) stale.push(path)
  }
  const names = stale.map((path) => `  ${relative(process.cwd(), path)}\n`).join('')
  if (process.argv.includes('--check')) {
    if (stale.length === 0) return
    process.stderr.write(`Out of date:\n${names}Run: ${command}\n`)
    process.exitCode = 1
    return
  }
  for (const path of stale) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, files.get(path) ?? '')
  }
  process.stdout.write(stale.length === 0 ? 'Everything is up to date.\n' : `Written:\n${names}`)
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const scriptCommand = (script: string): string =>
  `node --conditions=source --import=tsx packages/schemas/scripts/${script}`
