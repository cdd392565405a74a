import { setTimeout as delay } from 'node:timers/promises'

/** What became of the events, as the service's own metrics tell. */
export interface Funnel {
  events: number
  detected: number
  targets: number
  admitted: number
  refused: Record<string, number>
}

export const readFunnel = (metrics: string): Funnel => {
  const series = [...metrics.matchAll(/^(dropbell_\w+)\{([^}]*)\} (\S+)$/gm)].map(([, name, labels, value]) => ({
    name,
    result: /result="([^"]*)"/.exec(labels ?? '')?.[1] ?? '',
    value: Number(value),
  }))
  const sum = (name: string, keep: (result: string) => boolean = () => true): number =>
    series.filter((entry) => entry.name === name && keep(entry.result)).reduce((total, { value }) => total + value, 0)
  const refusals = series.filter(
    ({ name, result, value }) => name === 'dropbell_admissions_total' && result !== 'admitted' && value > 0,
  )
  return {
    events: sum('dropbell_inventory_events_total'),
    detected: sum('dropbell_triggers_detected_total'),
    targets: sum('dropbell_event_audience_users_sum'),
    admitted: sum('dropbell_admissions_total', (result) => result === 'admitted'),
    refused: sumByResult(refusals),
  }
}

const sumByResult = (series: { result: string; value: number }[]): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const { result, value } of series) sums[result] = (sums[result] ?? 0) + value
  return sums
}

/** The funnel once all events went through it. */
export const untilEventsHandled = async (readMetrics: () => Promise<string>, events: number): Promise<Funnel> => {
  const deadline = Date.now() + 60_000
  for (;;) {
    const funnel = readFunnel(await readMetrics())
    if (funnel.events >= events) return funnel
    if (Date.now() > deadline) throw new Error(`Only ${funnel.events} of ${events} events were handled within 60 s`)
    await delay(200)
  }
}

export const describeFunnel = ({ events, detected, targets, admitted, refused }: Funnel, published: number): string =>
  [
    `${String(events).padStart(5)} events`,
    `${String(detected).padStart(5)} detected`,
    `${String(targets).padStart(5)} targets`,
    `${String(admitted).padStart(5)} admitted`,
    ...Object.entries(refused).map(([reason, count]) => `${String(count).padStart(5)} refused: ${reason}`),
    `${String(published).padStart(5)} published to notification.push.v1`,
  ].join('\n')
