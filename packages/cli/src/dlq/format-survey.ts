import { placeText } from '@dropbell/dead-letters/selection'
import type { Survey } from '@dropbell/dead-letters/survey'
import type { Tally } from '@dropbell/dead-letters/tally'
import { formatTable } from '@dropbell/shared/format-table'
import { printable } from '../printable.ts'
import { formatCount } from './format-facts.ts'

const shownValues = 10
const barWidth = 30

/** What would be done, by reason, key and target. */
export const formatSurvey = (topic: string, surveyed: Survey): string => {
  const { selected, doneBefore, reasons, keys, targets } = surveyed
  const before =
    doneBefore === 0 ? '' : ` ${formatCount(doneBefore)} more were dealt with before; --again includes them.`
  if (selected === 0) return [`Nothing in ${topic} is selected.${before}`, ...describeMissing(surveyed)].join('\n')
  return [
    `${topic}: ${formatCount(selected)} dead letters selected.${before}`,
    [formatIntentions(surveyed), ...describeMissing(surveyed)].join('\n'),
    histogram('reason', reasons, selected),
    histogram('key', keys, selected),
    ...(targets.distinct() === 0 ? [] : [histogram('goes to', targets, selected)]),
  ].join('\n\n')
}

const describeMissing = ({ missing }: Survey): string[] =>
  missing.map((place) => `There is no record at ${placeText(place)}, or the filters leave it out.`)

const formatIntentions = ({ actions, left }: Survey): string =>
  [
    [actions.replayed, 'to be replayed'],
    [actions.quarantined, 'to be quarantined: put back as often as --max-replays allows'],
    [actions.dismissed, 'to be dismissed'],
    [left['no-origin'], 'to be left: no header says where they came from; --to names a topic'],
    [left['past-max-replays'], 'to be left: put back as often as --max-replays allows'],
  ]
    .filter(([count]) => (count as number) > 0)
    .map(([count, text]) => `${formatCount(count as number).padStart(10)}  ${text}`)
    .join('\n')

const histogram = (title: string, tally: Tally, total: number): string => {
  const top = tally.top(shownValues)
  const most = Math.max(1, ...top.map(({ count }) => count))
  const rows = top.map(({ value, count }) => [
    printable(value, 70),
    formatCount(count),
    '#'.repeat(Math.max(1, Math.round((count / most) * barWidth))),
  ])
  const others = total - top.reduce((sum, { count }) => sum + count, 0)
  const distinct = tally.distinct() - top.length
  const rest =
    distinct <= 0 || others <= 0
      ? []
      : [[`${tally.isCut() ? 'more than ' : ''}${formatCount(distinct)} others`, formatCount(others), '']]
  return formatTable([title, 'records', ''], [...rows, ...rest])
}

export const surveyJson = ({ selected, doneBefore, actions, left, reasons, keys, targets, missing }: Survey) => ({
  selected,
  doneBefore,
  planned: actions,
  left,
  reasons: reasons.top(1_000),
  keys: keys.top(shownValues),
  targets: targets.top(1_000),
  missing: missing.map(placeText),
})
