import type { PartitionRange, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { type DeadLetter, unknownReason } from './dead-letter.ts'
import type { MarkAction } from './mark.ts'
import type { Marks } from './marks.ts'
import { scan } from './scan.ts'
import { createPicks, type Place, type Selection } from './selection.ts'
import { createTally, type Tally } from './tally.ts'
import type { LeftReason, Treat } from './treatment.ts'

/** What a run would do. */
export interface Survey {
  /** Selected and not dealt with before, or to be dealt with again. */
  readonly selected: number
  /** Selected too, but dealt with before. */
  readonly doneBefore: number
  readonly actions: Readonly<Record<MarkAction, number>>
  readonly left: Readonly<Record<LeftReason, number>>
  readonly reasons: Tally
  readonly keys: Tally
  /** The topics that would be written to. */
  readonly targets: Tally
  /** Of these, where records would go back to: what a header or `--to` says. */
  readonly replayTargets: Tally
  /** Picks that are not there, or that the filters leave out. */
  readonly missing: readonly Place[]
}

export interface SurveyOptions {
  readonly reader: Pick<TopicReader, 'read'>
  readonly topic: string
  readonly ranges: readonly PartitionRange[]
  readonly selection: Selection
  readonly marks: Marks
  readonly again: boolean
  readonly treat: Treat
  readonly onProgress: (looked: number) => void
}

export const survey = async ({ again, treat, onProgress, ...options }: SurveyOptions): Promise<Survey> => {
  const actions = { replayed: 0, quarantined: 0, dismissed: 0 }
  const left = { 'no-origin': 0, 'past-max-replays': 0 }
  const [reasons, keys, targets, replayTargets] = [createTally(), createTally(), createTally(), createTally()]
  const picks = createPicks(options.selection)
  let selected = 0
  let doneBefore = 0
  let looked = 0
  for await (const part of scan(options)) {
    for (const { letter, mark } of part.letters) {
      picks.find(letter)
      if (mark !== undefined && !again) {
        doneBefore++
        continue
      }
      selected++
      reasons.add(letter.reason || unknownReason)
      keys.add(keyText(letter))
      const treatment = treat(letter)
      if (treatment.kind === 'leave') left[treatment.why]++
      else actions[treatment.action]++
      if (treatment.kind !== 'write') continue
      targets.add(treatment.record.topic)
      if (treatment.action === 'replayed') replayTargets.add(treatment.record.topic)
    }
    looked += part.looked
    onProgress(looked)
  }
  return { selected, doneBefore, actions, left, reasons, keys, targets, replayTargets, missing: picks.missing() }
}

/** Text where it is some, as `--key` takes it. */
export const keyText = ({ key }: Pick<DeadLetter, 'key'>): string => {
  if (key === null) return 'null'
  const text = key.toString()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const isText = !/[\u0000-\u001f\u007f-\u009f\ufffd]/.test(text)
  return isText && text !== 'null' && !/^0x/i.test(text) ? text : `0x${key.toString('hex')}`
}
