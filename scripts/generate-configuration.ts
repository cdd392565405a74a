import type { ConfigRow } from '@dropbell/shared/config'
import { describeConfig } from '@dropbell/shared/config'
import { configurationSections } from './configuration-sections.ts'
import { writeOrCheck } from './write-or-check.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const tableRow = ({ name, default: byDefault, required, secret, expected, description }: ConfigRow): string => {
  const value = required ? '**required**' : byDefault === undefined ? '' : `\`${byDefault}\``
  return `| \`${name}\` | ${cell(description)} | ${cell(expected ?? '')}${secret ? ' (hidden in logs)' : ''} | ${value} |`
}

const tables = configurationSections.map(
  ({ title, schema }) =>
    `## ${title}\n\n| variable | meaning | expected | default |\n|---|---|---|---|\n${describeConfig(schema).map(tableRow).join('\n')}`,
)

const documentation = `# Configuration

Services are configured by environment variables alone. An empty variable counts as unset. All faults are reported
together at start, and the process exits with 78. This page is generated from the schemas in the code:
\`npx pnpm generate\`.

${tables.join('\n\n')}
`

const example = configurationSections
  .map(({ title, schema }) => {
    const lines = describeConfig(schema).map(
      ({ name, default: byDefault, description }) => `# ${description}\n#${name}=${byDefault ?? ''}`,
    )
    return `# ── ${title}\n${lines.join('\n')}`
  })
  .join('\n\n')

await writeOrCheck({
  'docs/configuration.md': documentation,
  '.env.example': `# Read by \`docker compose\` as .env: copy it, and uncomment what differs from docker-compose.yml. Addresses are those that
# the containers see, not localhost. docs/configuration.md explains each variable.

${example}
`,
})
