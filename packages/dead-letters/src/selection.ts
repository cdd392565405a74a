import type { PartitionExtent, PartitionRange, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import type { DeadLetter } from './dead-letter.ts'

export interface Place {
  readonly partition: number
  readonly offset: number
}

/** Which dead letters are meant. What is left out selects everything; of several values one has to fit. */
export interface Selection {
  readonly since?: number
  readonly until?: number
  readonly reasons?: readonly string[]
  readonly keys?: readonly string[]
  readonly groups?: readonly string[]
  readonly partitions?: readonly number[]
  readonly places?: readonly Place[]
}

/** What has to be looked at, of what is there now. */
export const rangesOf = async (
  reader: Pick<TopicReader, 'offsetsAt'>,
  topic: string,
  extent: readonly PartitionExtent[],
  { since, partitions, places }: Selection,
): Promise<PartitionRange[]> => {
  const within = extent.filter(({ partition }) => partitions?.includes(partition) ?? true)
  if (places !== undefined) return within.flatMap((range) => placesIn(range, places))
  if (since === undefined) return within.map(({ partition, from, until }) => ({ partition, from, until }))
  const begin = await reader.offsetsAt(topic, since)
  return within.map(({ partition, from, until }) => ({
    partition,
    from: Math.max(from, begin.get(partition) ?? from),
    until,
  }))
}

const placesIn = ({ partition, from, until }: PartitionRange, places: readonly Place[]): PartitionRange[] =>
  [...new Set(places.filter((place) => place.partition === partition).map(({ offset }) => offset))]
    .filter((offset) => offset >= from && offset < until)
    .sort((one, other) => one - other)
    .map((offset) => ({ partition, from: offset, until: offset + 1 }))

/** Which of the picked places were found. */
export const createPicks = ({ places = [] }: Selection) => {
  const waiting = new Map(places.map((place) => [placeText(place), place]))
  return {
    find: (place: Place): void => {
      if (waiting.size > 0) waiting.delete(placeText(place))
    },
    missing: (): readonly Place[] => [...waiting.values()],
  }
}

/** As it is shown, and typed. */
export const placeText = ({ partition, offset }: Place): string => `${partition}:${offset}`

export const createMatcher = (selection: Selection): ((letter: DeadLetter) => boolean) => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, reasons, keys, groups } = selection
  const wantedKeys = keys?.map(toKeyBytes)
  return ({ timestamp, reason, key, origin }) =>
    timestamp >= since &&
    timestamp < until &&
    (reasons?.some((wanted) => isReason(reason, wanted)) ?? true) &&
    (wantedKeys?.some((wanted) => (key === null ? wanted === null : wanted?.equals(key) === true)) ?? true) &&
    (groups?.includes(origin.group ?? '') ?? true)
}

/** The whole name, or its last part: the code of our errors, the class of Java's. */
const isReason = (reason: string, wanted: string): boolean => reason === wanted || reason.endsWith(`.${wanted}`)

/** A key that is no text is written as hex, `0x…`; no key at all as `null`. */
const toKeyBytes = (text: string): Buffer | null => {
  if (text === 'null') return null
  return /^0x([0-9a-f]{2})*$/i.test(text) ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text)
}
