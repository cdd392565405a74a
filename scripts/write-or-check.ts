import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes generated files; with `--check` it only says which of them are out of date, and fails if any is. */
export const writeOrCheck = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    if ((await readIfThere(path)) === content) continue
    if (process.argv.includes('--check')) {
      process.stderr.write(`${path} is out of date: run \`npx pnpm generate\` and commit the result\n`)
      process.exitCode = 1
    } else {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
      process.stdout.write(`wrote ${path}\n`)
    }
  }
}

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
