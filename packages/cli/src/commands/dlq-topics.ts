import type { Command } from 'commander'
import { brokersOption, jsonOption } from '../config-option.ts'
import { formatDlqTopics, listDlqTopics } from '../dlq/list-topics.ts'
import { withDlq } from '../dlq/with-dlq.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Execute, RunCommand } from '../session.ts'

interface Options {
  readonly brokers?: string
  readonly json?: boolean
}

export const addDlqTopics = (dlq: Command, run: RunCommand): void => {
  dlq
    .command('topics')
    .description('Every topic of dead letters that holds records nobody has dealt with: how many, how old, why.')
    .addOption(brokersOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell dlq topics
  $ dropbell dlq topics --json | jq '.topics[] | select(.waiting > 0) | .topic'`,
    )
    .action(run(executeDlqTopics))
}

const executeDlqTopics: Execute<Options> = async (session, options) => {
  const { output } = session
  return withDlq(session, options, async (clients) => {
    const { topics, unreadable } = await listDlqTopics(clients, output)
    if (options.json) output.printJson({ topics, unreadable })
    else output.print(formatDlqTopics(topics, clients.suffix))
    for (const { topic, why } of unreadable) output.warn(`${topic} cannot be read: ${why}`)
    return unreadable.length > 0 ? exitCodes.problemsFound : exitCodes.ok
  })
}
