import { join } from 'node:path'
import { findContractFaults } from '../src/compatibility.ts'
import { readHistoryLock, readSchemaHistories } from '../src/schema-files.ts'

/** Fails if a published schema was changed or removed, or if a version cannot read what an earlier one wrote. */
const avroFolder = join(import.meta.dirname, '..', 'avro')
const faults = findContractFaults(await readSchemaHistories(avroFolder), await readHistoryLock(avroFolder))

if (faults.length > 0) {
  process.stderr.write(
    `The contracts in packages/schemas/avro are broken:\n${faults.map((fault) => `  ${fault}\n`).join('')}`,
  )
  process.exitCode = 1
}
