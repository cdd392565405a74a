import { join } from 'node:path'
import { readSchemaHistories } from '../src/schema-files.ts'
import { TOPICS } from '../src/topics.ts'
import { scriptCommand, writeOrCheck } from './output-files.ts'
import { renderContracts } from './render-contracts.ts'

const packageFolder = join(import.meta.dirname, '..')
const histories = await readSchemaHistories(join(packageFolder, 'avro'))
const path = join(packageFolder, '..', '..', 'docs', 'contracts.md')

await writeOrCheck(new Map([[path, renderContracts(TOPICS, histories)]]), scriptCommand('contracts-doc.ts'))
