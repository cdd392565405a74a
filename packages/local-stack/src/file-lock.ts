import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { identify, isAlive, type ProcessIdentity } from './processes/process-identity.ts'

export interface LockOptions {
  /** Ends the wait for the lock. */
  signal?: AbortSignal
  /** Called once if somebody else has it. */
  onWait?: () => void
}

/** One process at a time; a lock whose holder is gone is taken over. */
export const withFileLock = async <T>(
  path: string,
  work: () => Promise<T>,
  { signal, onWait }: LockOptions = {},
): Promise<T> => {
  await mkdir(dirname(path), { recursive: true })
  let waited = false
  while (!(await acquire(path))) {
    if (!waited) onWait?.()
    waited = true
    await delay(100)
    signal?.throwIfAborted()
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

/** `link` creates the lock together with its content, so no reader ever sees a lock without a holder. */
const acquire = async (path: string): Promise<boolean> => {
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
  await writeFile(draft, JSON.stringify(identify(process.pid)))
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await buryIfAbandoned(path, draft)
    return false
  } finally {
    await rm(draft, { force: true })
  }
}

/** Renaming lets only one of several waiters remove a dead holder's lock; one taken in between is put back. */
const buryIfAbandoned = async (path: string, grave: string): Promise<void> => {
  try {
    if (isAlive(await readHolder(path))) return
    await rename(path, grave)
    if (isAlive(await readHolder(grave))) await link(grave, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // released in between
  }
}

const readHolder = async (path: string): Promise<ProcessIdentity> =>
  JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity
