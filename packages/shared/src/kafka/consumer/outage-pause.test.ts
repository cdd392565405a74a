import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMetrics } from '../../metrics.ts'
import { captureLog } from '../../testing/capture-log.ts'
import { createConsumerMetrics } from './consumer-metrics.ts'
import { createOutagePause } from './outage-pause.ts'

const set = () => {
  const registry = createMetrics({ service: 'test' })
  const down = new Set(['redis', 'elasticsearch'])
  const probe = (name: string) =>
    vi.fn(async () => {
      if (down.has(name)) throw new Error(`${name} is down`)
    })
  const dependencies = { redis: probe('redis'), elasticsearch: probe('elasticsearch') }
  const suspend = vi.fn()
  const resume = vi.fn()
  const pause = createOutagePause({
    dependencies,
    suspend,
    resume,
    probeIntervalMs: 1_000,
    metrics: createConsumerMetrics({ registry, topic: 'orders', dependencies: Object.keys(dependencies) }),
    log: captureLog().log,
    topic: 'orders',
  })
  return { pause, dependencies, suspend, resume, down, registry }
}

describe('the pause of an outage', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('lasts until the dependency answers its probe', async () => {
    const { pause, dependencies, suspend, resume, down, registry } = set()
    pause.begin('redis')
    expect(pause.isPaused()).toBe(true)
    expect(suspend).toHaveBeenCalledTimes(1)
    expect(await registry.metrics()).toContain('dropbell_consumer_paused{topic="orders",service="test"} 1')
    await vi.advanceTimersByTimeAsync(5_500)
    expect(dependencies.redis).toHaveBeenCalledTimes(5)
    expect(resume).not.toHaveBeenCalled()
    down.delete('redis')
    await vi.advanceTimersByTimeAsync(500)
    expect(resume).toHaveBeenCalledTimes(1)
    expect(pause.isPaused()).toBe(false)
    const metrics = await registry.metrics()
    expect(metrics).toContain('dropbell_consumer_paused{topic="orders",service="test"} 0')
    expect(metrics).toContain('dropbell_consumer_pauses_total{topic="orders",dependency="redis",service="test"} 1')
  })

  it('is one pause for all partitions that run into the same outage', async () => {
    const { pause, suspend, down, resume } = set()
    pause.begin('redis')
    pause.begin('redis')
    down.clear()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(suspend).toHaveBeenCalledTimes(1)
    expect(resume).toHaveBeenCalledTimes(1)
  })

  it('waits for all dependencies that are down', async () => {
    const { pause, down, resume } = set()
    pause.begin('redis')
    pause.begin('elasticsearch')
    down.delete('redis')
    await vi.advanceTimersByTimeAsync(3_000)
    expect(resume).not.toHaveBeenCalled()
    down.delete('elasticsearch')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(resume).toHaveBeenCalledTimes(1)
  })

  it('is longer each time when the probe answers and yet nothing works, until something does', async () => {
    const { pause, down, resume } = set()
    down.clear()
    const durations: number[] = []
    const durationOfPause = async () => {
      const startedAt = Date.now()
      pause.begin('redis')
      while (pause.isPaused()) await vi.advanceTimersByTimeAsync(500)
      durations.push(Math.round((Date.now() - startedAt) / 1_000))
    }
    for (let outage = 0; outage < 7; outage++) await durationOfPause()
    pause.succeeded()
    await durationOfPause()
    expect(durations).toEqual([1, 2, 4, 8, 16, 30, 30, 1])
    expect(resume).toHaveBeenCalledTimes(8)
  })

  it('is a mere wait for a dependency without a probe, which the metrics do not name', async () => {
    const { pause, resume, registry } = set()
    pause.begin('mystery-42')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(resume).toHaveBeenCalledTimes(1)
    const metrics = await registry.metrics()
    expect(metrics).not.toContain('mystery-42')
    expect(metrics).toContain('dropbell_consumer_pauses_total{topic="orders",dependency="unknown",service="test"} 1')
  })

  it('ends with the consumer', async () => {
    const { pause, resume, down } = set()
    pause.begin('redis')
    pause.stop()
    down.clear()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(resume).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})
