import { join } from 'node:path'
import { writeOrCheck } from '../../../scripts/write-or-check.ts'
import { readSchemaHistories } from '../src/schema-files.ts'
import { TOPICS } from '../src/topics.ts'
import { renderContracts } from './render-contracts.ts'

const packageFolder = join(import.meta.dirname, '..')
const histories = await readSchemaHistories(join(packageFolder, 'avro'))

await writeOrCheck({ 'docs/contracts.md': renderContracts(TOPICS, histories) })
