import { access } from 'node:fs/promises'
import type { SchemaHistory } from '@dropbell/schemas/contract'
import { extendLock, type HistoryLock } from '@dropbell/schemas/history-lock'
import { readHistoryLock, readSchemaHistories } from '@dropbell/schemas/schema-files'

export interface WorkingTree {
  readonly source: 'files' | 'built-in'
  readonly files: readonly SchemaHistory[]
  readonly lock: HistoryLock
}

/**
 * A checkout has the `.avsc` files, which may have been edited, and the lock of what was committed. An image has only
 * what it was built with, which was checked before it was built: there is no other history to compare it with.
 */
export const readWorkingTree = async (avroFolder: string, embedded: readonly SchemaHistory[]): Promise<WorkingTree> => {
  if (!(await exists(avroFolder))) {
    const files = [...new Set(embedded)]
    return { source: 'built-in', files, lock: extendLock({}, files) }
  }
  return { source: 'files', files: await readSchemaHistories(avroFolder), lock: await readHistoryLock(avroFolder) }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
