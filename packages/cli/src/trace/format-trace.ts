import { formatTable } from '@dropbell/shared/format-table'
import type { EventSummary, SourceReport, Step, Trace, Unknown, UserNow, Way } from '@dropbell/trace/trace'
import type { Output } from '../output.ts'
import { printable } from '../printable.ts'
import { describeStep } from './describe-step.ts'
import { momentFormatOf } from './format-moment.ts'

type Paint = Output['paint']
type Format = (ms: number) => string

/** A timeline to read. Times are in the user's zone where it is known. */
export const formatTrace = (trace: Trace, paint: Paint): string => {
  const format = momentFormatOf(trace.user?.timezone)
  const sections = [
    ...(trace.user ? [formatUser(trace.user)] : []),
    ...(trace.product ? [formatProduct(trace.product, format)] : []),
    ...(trace.event ? [formatEvent(trace.event, format, paint)] : []),
    ...(trace.event ? formatUsers(trace.ways, format) : trace.ways.map((way) => formatWay(way, format, paint))),
    ...(trace.found ? [] : ['Nothing is known of it.']),
    ...formatSources(trace.sources, paint),
  ]
  return sections.join('\n\n')
}

const formatUser = ({ userId, timezone, optedOut, channels, quietHours, today }: UserNow): string =>
  printable(
    [
      `User ${userId} now: ${timezone}, channels ${channels.join(', ') || 'none'}`,
      `opted out of ${optedOut.join(', ') || 'nothing'}`,
      quietHours ? `quiet from ${quietHours.start} to ${quietHours.end}` : 'no quiet hours',
      `${today.count ?? 'none'} counted for ${today.date}`,
    ].join('; '),
  )

const formatProduct = ({ productId, now }: NonNullable<Trace['product']>, format: Format): string => {
  const price = now.price ? `price ${now.price.value} since ${format(now.price.at)}` : 'price unknown'
  const stock = now.stock ? `stock ${now.stock.value} since ${format(now.stock.at)}` : 'stock unknown'
  return printable(`Product ${productId} now: ${price}; ${stock}`)
}

const formatEvent = (event: EventSummary, format: Format, paint: Paint): string => {
  const lines = [
    paint('bold', printable(`Event ${event.eventId}${event.productId === null ? '' : ` of ${event.productId}`}`)),
  ]
  lines.push(...formatSteps(event.steps, format), ...event.unknown.map((one) => formatUnknown(one, paint)))
  if (event.fanout) {
    const { servedUsers, ended } = event.fanout
    lines.push(`  fan-out: ${servedUsers} users served, ${ended ? 'ended' : 'under way'}`)
  }
  if (event.outcomes === null) lines.push('  outcomes: nobody could count them')
  else if (event.outcomes.length === 0) lines.push('  outcomes: none')
  else {
    for (const { status, reason, count } of event.outcomes) {
      lines.push(printable(`  ${String(count).padStart(7)} ${status}${reasonOf({ reason })}`))
    }
  }
  return lines.join('\n')
}

/** One line each, of the first ones. */
const formatUsers = (ways: readonly Way[], format: Format): string[] => {
  if (ways.length === 0) return []
  const rows = ways.map(({ userId, notificationId, ending, steps }) => {
    const last = steps.at(-1)
    const at = last?.at ?? null
    return [
      printable(userId ?? 'everybody else'),
      printable(notificationId ?? '-'),
      printable(`${ending.status}${reasonOf(ending)}`),
      at === null ? '-' : format(at),
    ]
  })
  return [formatTable(['user', 'notification', 'outcome', 'at'], rows)]
}

const reasonOf = ({ reason }: { reason: string | null }): string => (reason === null ? '' : ` (${reason})`)

const formatWay = (way: Way, format: Format, paint: Paint): string => {
  const { notificationId, eventId, userId, productId, type, ending } = way
  const colour = ending.status === 'SENT' ? 'green' : 'yellow'
  const about = printable(`of ${productId ?? 'an unknown product'} for ${userId ?? 'everybody not told yet'}`)
  return [
    `${paint('bold', printable(type ?? 'event'))} ${about}: ${paint(colour, printable(`${ending.status}${reasonOf(ending)}`))}`,
    printable(`  event ${eventId ?? 'unknown'}, notification ${notificationId ?? 'none'}`),
    ...formatSteps(way.steps, format),
    ...way.unknown.map((one) => formatUnknown(one, paint)),
  ].join('\n')
}

const formatSteps = (steps: readonly Step[], format: Format): string[] => {
  const width = Math.max(0, ...steps.map(({ kind }) => kind.length))
  const blank = ' '.repeat(format(0).length)
  return steps.map(
    (step) =>
      `  ${step.at === null ? blank : format(step.at)}  ${step.kind.padEnd(width)}  ${printable(describeStep(step, format))}`,
  )
}

const formatUnknown = ({ what, detail }: Unknown, paint: Paint): string =>
  `  ${paint('dim', printable(`unknown: ${what}. ${detail}`))}`

const formatSources = (sources: readonly SourceReport[], paint: Paint): string[] => {
  const missing = sources.filter(({ state }) => state === 'unavailable' || state === 'not-configured')
  if (missing.length === 0) return []
  return [
    missing
      .map(({ source, state, detail }) =>
        paint('yellow', printable(`${source} ${state}${detail === null ? '' : `: ${detail}`}`)),
      )
      .join('\n'),
  ]
}
