import { readFile, writeFile } from 'node:fs/promises'

/** Writes generated files; with `--check` it only says which of them are out of date, and fails if any is. */
export const writeOrCheck = async (files: Record<string, string>): Promise<void> => {
  const check = process.argv.includes('--check')
  for (const [path, content] of Object.entries(files)) {
    if ((await readFile(path, 'utf8').catch(() => undefined)) === content) continue
    if (check) {
      process.stderr.write(`${path} is out of date: run \`npx pnpm generate\` and commit the result\n`)
      process.exitCode = 1
    } else {
      await writeFile(path, content)
      process.stdout.write(`wrote ${path}\n`)
    }
  }
}
