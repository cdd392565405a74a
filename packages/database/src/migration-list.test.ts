import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { migrationList } from './migration-list.ts'

it('lists every file of migrations/, in order', async () => {
  const files = await readdir(fileURLToPath(new URL('./migrations', import.meta.url)))
  expect(Object.keys(migrationList)).toEqual(files.sort().map((file) => file.replace(/\.ts$/, '')))
})
