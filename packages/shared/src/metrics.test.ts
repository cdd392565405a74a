import { register } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createCounter, createHistogram, createMetrics, endToEndBuckets, latencyBuckets } from './metrics.ts'

describe('createMetrics', () => {
  it('has the metrics of the process, labelled with the service', async () => {
    expect(await createMetrics({ service: 'bell' }).metrics()).toMatch(/process_cpu_seconds_total\{service="bell"\} \d/)
  })

  it('leaves the global registry alone', () => {
    createCounter(createMetrics({ service: 'bell' }), { name: 'dropbell_steps_total', help: 'Steps.', labels: {} })
    expect(register.getMetricsAsArray()).toEqual([])
  })
})

describe('createCounter', () => {
  it('has every series at zero before its first event', async () => {
    const registry = createMetrics({ service: 'bell' })
    const counter = createCounter(registry, {
      name: 'dropbell_steps_total',
      help: 'Steps.',
      labels: { kind: ['a', 'b'], outcome: ['ok', 'failed'] },
    })
    counter.inc({ kind: 'b', outcome: 'ok' })
    const { values } = await counter.get()
    expect(values.map(({ labels, value }) => [labels.kind, labels.outcome, value])).toEqual([
      ['a', 'ok', 0],
      ['a', 'failed', 0],
      ['b', 'ok', 1],
      ['b', 'failed', 0],
    ])
  })

  it('has its only series at zero when it has no labels', async () => {
    const registry = createMetrics({ service: 'bell' })
    createCounter(registry, { name: 'dropbell_steps_total', help: 'Steps.', labels: {} })
    expect(await registry.metrics()).toContain('dropbell_steps_total{service="bell"} 0\n')
  })
})

describe('createHistogram', () => {
  it('has every series at zero before its first event', async () => {
    const registry = createMetrics({ service: 'bell' })
    createHistogram(registry, {
      name: 'dropbell_step_seconds',
      help: 'Duration.',
      labels: { kind: ['a', 'b'] },
      buckets: latencyBuckets,
    })
    const text = await registry.metrics()
    expect(text).toContain('dropbell_step_seconds_count{service="bell",kind="a"} 0')
    expect(text).toContain('dropbell_step_seconds_bucket{le="0.0005",service="bell",kind="b"} 0')
  })

  it('tells half a millisecond from one, and a minute from two', () => {
    expect(latencyBuckets.slice(0, 2)).toEqual([0.0005, 0.001])
    expect(endToEndBuckets.slice(-2)).toEqual([60, 120])
  })
})
