import { type Command, Option } from 'commander'
import { brokersOption, jsonOption } from '../config-option.ts'
import { requireDlqTopic } from '../dlq/find-dlq-topics.ts'
import { formatRuns } from '../dlq/format-runs.ts'
import { readDone } from '../dlq/read-marks.ts'
import { withDlq } from '../dlq/with-dlq.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Execute, RunCommand } from '../session.ts'
import { wholeNumber } from '../whole-number.ts'

interface Options {
  readonly topic: string | undefined
  readonly brokers?: string
  readonly limit: number
  readonly json?: boolean
}

export const addDlqRuns = (dlq: Command, run: RunCommand): void => {
  dlq
    .command('runs')
    .description(
      'What was replayed and dismissed, by whom, when, with which filters and how it ended; the newest first.',
    )
    .argument('[topic]', 'only the runs over this topic of dead letters')
    .addOption(
      new Option('--limit <number>', 'how many to show; 0 for all').default(50).argParser(wholeNumber(0, 1_000_000)),
    )
    .addOption(brokersOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ dropbell dlq runs\n  $ dropbell dlq runs product.inventory.v1.dlq --json')
    .action((topic: string | undefined, options: Omit<Options, 'topic'>) => run(executeDlqRuns)({ ...options, topic }))
}

const executeDlqRuns: Execute<Options> = async (session, { topic, limit, ...options }) => {
  const { output } = session
  const wanted = await withDlq(session, options, async (clients) => {
    const state = await readDone(clients.reader, output, { topic: '' })
    const ofTopic = state.runs.filter((run) => topic === undefined || run.topic === topic).reverse()
    // A topic that is gone may have been dealt with; one that never was is a mistake.
    if (topic !== undefined && ofTopic.length === 0) await requireDlqTopic(clients, topic, clients.suffix)
    return ofTopic
  })
  const runs = limit === 0 ? wanted : wanted.slice(0, limit)
  if (options.json) output.printJson({ runs })
  else output.print(formatRuns(runs))
  return exitCodes.ok
}
