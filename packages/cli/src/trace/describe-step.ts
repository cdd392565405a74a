import type { RecordPlace, Step } from '@dropbell/trace/trace'

type Format = (ms: number) => string

const placeOf = ({ topic, partition, offset }: RecordPlace): string => `${topic} ${partition}:${offset}`

const targetOf = ({ channel, target }: { channel: string; target: string }): string =>
  target === '' ? channel : `${channel} ${target}`

/** What happened, in words; the time stands beside it. */
export const describeStep = (step: Step, format: Format): string => {
  switch (step.kind) {
    case 'received': {
      const replay = step.replayCount > 0 ? `, replay ${step.replayCount}` : ''
      return `${step.eventType ?? 'event'} (${step.change}) in ${placeOf(step.place)}${replay}`
    }
    case 'dead-lettered': {
      const why = step.message === null ? step.reason : `${step.reason}: ${step.message}`
      const from = step.origin === null ? '' : `, from ${step.origin}`
      const tries = step.attempts === null ? '' : ` after ${step.attempts} ${step.attempts === 1 ? 'try' : 'tries'}`
      return `given up${tries}${from}, now in ${placeOf(step.place)}: ${why}`
    }
    case 'detected':
      return `${step.trigger}: ${step.what}`
    case 'ignored':
      return `not worth telling: ${step.reason}`
    case 'targeted': {
      const { actionType, at } = step.behaviour
      return `a target by ${actionType} at ${format(at)}, within ${step.days} days`
    }
    case 'not-targeted': {
      const { nearest, actionTypes, days } = step
      const last =
        nearest === null ? 'nothing at all before' : `last before: ${nearest.actionType} at ${format(nearest.at)}`
      return `not a target: no ${actionTypes.join(', ')} within ${days} days (${last})`
    }
    case 'admitted':
      return `admitted${step.localDate === null ? '' : `, counts for ${step.localDate}${countOf(step.countOfDay)}`}`
    case 'refused':
      return `refused: ${step.reason}${refusalDetail(step)}`
    case 'published':
      return `in ${placeOf(step.place)}`
    case 'planned':
      return step.refusal === null
        ? `for ${step.targets.map(targetOf).join(', ') || 'nobody'}`
        : `refused: ${step.refusal}`
    case 'deferred':
      return `${targetOf(step)} waits until ${format(step.until)}: ${step.code ?? 'no reason given'}`
    case 'attempted': {
      const latency = step.latencyMs === null ? 'no answer seen' : `${step.latencyMs} ms`
      return `${targetOf(step)}, attempt ${step.attempt}: ${step.code ?? 'taken'} (${latency})`
    }
    case 'retry-due':
      return `${targetOf(step)} is tried again ${step.due === null ? 'by the recovery sweep' : `at ${format(step.due)}`} after ${step.code}`
    case 'withheld':
      return `${targetOf(step)} not sent: ${step.code}`
    case 'device-invalid':
      return `device ${step.target} is no longer used: ${step.reason}`
    case 'outcome':
      return `${step.status}${step.reason === null ? '' : ` (${step.reason})`}, revision ${step.revision}`
  }
}

const countOf = (count: number | null): string => (count === null ? '' : `, which has ${count} by now`)

const refusalDetail = ({ blockingEventId, dayCount }: Extract<Step, { kind: 'refused' }>): string => {
  if (blockingEventId !== null) return ` of event ${blockingEventId}`
  return dayCount === null ? '' : `, ${dayCount} that day already`
}
