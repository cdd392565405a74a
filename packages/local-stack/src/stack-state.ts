import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ProcessIdentity } from './processes/process-identity.ts'

/** What is written down of an engine, so that a later command finds exactly the process that an earlier one started. */
export interface EngineRecord {
  ports: Record<string, number>
  process?: ProcessIdentity
  version?: string
  startUpMs?: number
}

export interface StackState {
  read(name: string): EngineRecord | undefined
  /** Another process may have written since: to be called under the stack's lock, before anything is decided. */
  reload(): Promise<void>
  write(name: string, record: EngineRecord): Promise<void>
}

export const openStackState = async (file: string): Promise<StackState> => {
  let records = await load(file)
  let writing = Promise.resolve()

  const save = async (): Promise<void> => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(`${file}.new`, JSON.stringify(records, null, 2))
    await rename(`${file}.new`, file)
  }
  return {
    read: (name) => records[name],
    reload: async () => {
      records = await load(file)
    },
    write: (name, record) => {
      records[name] = record
      writing = writing.then(save, save)
      return writing
    },
  }
}

const load = async (file: string): Promise<Record<string, EngineRecord>> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, EngineRecord>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    const advice = `If none of its engines runs any more, delete ${dirname(file)} to begin anew.`
    throw new Error(`${file} cannot be read. ${advice}`, { cause: error })
  }
}
