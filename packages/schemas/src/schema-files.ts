import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AvroTypeDefinition, SchemaHistory, SchemaVersion } from './contract.ts'
import type { HistoryLock } from './history-lock.ts'

export const HISTORY_LOCK_FILE = 'history.lock.json'

/** Reads `<folder>/<record>/v<N>.avsc`, all versions of all records. Versions must count from 1 without a gap. */
export async function readSchemaHistories(folder: string): Promise<SchemaHistory[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const records = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(records.sort().map((record) => readHistory(join(folder, record))))
}

async function readHistory(folder: string): Promise<SchemaHistory> {
  const numbers: number[] = []
  for (const file of await readdir(folder)) {
    const match = /^v([1-9]\d*)\.avsc$/.exec(file)
    if (match === null) throw new Error(`${join(folder, file)} is not named like v1.avsc`)
    numbers.push(Number(match[1]))
  }
  numbers.sort((a, b) => a - b)
  const gap = numbers.findIndex((version, index) => version !== index + 1)
  if (gap >= 0 || numbers.length === 0) throw new Error(`${folder} has no v${Math.max(gap, 0) + 1}.avsc`)

  const versions = await Promise.all(numbers.map((version) => readVersion(folder, version)))
  return { name: recordName(folder, versions), versions }
}

async function readVersion(folder: string, version: number): Promise<SchemaVersion> {
  const file = join(folder, `v${version}.avsc`)
  try {
    return { version, schema: JSON.parse(await readFile(file, 'utf8')) as AvroTypeDefinition }
  } catch (cause) {
    throw new Error(`${file} is not valid JSON`, { cause })
  }
}

function recordName(folder: string, versions: readonly SchemaVersion[]): string {
  const [name, ...others] = new Set(versions.map(({ schema }) => schema.name))
  if (name === undefined || others.length > 0) throw new Error(`${folder} must hold versions of one named record`)
  return name
}

export async function readHistoryLock(folder: string): Promise<HistoryLock> {
  return JSON.parse(await readFile(join(folder, HISTORY_LOCK_FILE), 'utf8')) as HistoryLock
}
