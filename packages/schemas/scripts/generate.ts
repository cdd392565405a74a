import { join } from 'node:path'
import { writeOrCheck } from '../../../scripts/write-or-check.ts'
import { extendLock } from '../src/history-lock.ts'
import { HISTORY_LOCK_FILE, readHistoryLock, readSchemaHistories } from '../src/schema-files.ts'
import { kebabCase } from './named-definitions.ts'
import { renderTypes } from './render-types.ts'
import { findTypeOwners } from './type-owners.ts'

const packageFolder = join(import.meta.dirname, '..')
const avroFolder = join(packageFolder, 'avro')

const histories = await readSchemaHistories(avroFolder)
const owners = findTypeOwners(histories)

const files: Record<string, string> = {}
for (const history of histories) {
  files[join('packages/schemas/src/generated', `${kebabCase(history.name)}.ts`)] = renderTypes(history, owners)
}
const lock = extendLock(await readHistoryLock(avroFolder), histories)
files[join('packages/schemas/avro', HISTORY_LOCK_FILE)] = `${JSON.stringify(lock, null, 2)}\n`

await writeOrCheck(files)
