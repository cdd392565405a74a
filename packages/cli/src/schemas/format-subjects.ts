import { formatTable } from '@dropbell/shared/format-table'
import type { Output } from '../output.ts'
import type { ListedSubject } from './list-subjects.ts'

export const formatSubjects = (subjects: readonly ListedSubject[], address: string, paint: Output['paint']): string => {
  const table = formatTable(
    ['subject', 'record', 'ours (id)', 'in the registry', 'compatibility'],
    subjects.map(({ subject, record, versions, registryVersions, compatibility }) => [
      subject,
      record,
      versions.map(({ version, id }) => `v${version} (${id ?? paint('yellow', 'not registered')})`).join(' '),
      registryVersions.length === 0 ? '-' : registryVersions.map((version) => `v${version}`).join(' '),
      compatibility ?? paint('dim', 'global'),
    ]),
  )
  const missing = subjects.flatMap(({ versions }) => versions).filter(({ id }) => id === null).length
  const notes = missing === 0 ? [] : [`${missing} not registered in ${address}: \`dropbell schemas register\`.`]
  return [table, ...notes].join('\n\n')
}
