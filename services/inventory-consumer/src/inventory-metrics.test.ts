import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createInventoryMetrics } from './inventory-metrics.ts'

describe('the inventory metrics', () => {
  it('count an ignored event under its reason', async () => {
    const registry = new Registry()
    createInventoryMetrics(registry).eventJudged('PRICE_CHANGE', { kind: 'ignored', reason: 'price-not-lower' })
    const text = await registry.metrics()
    expect(text).toContain('dropbell_inventory_events_total{type="PRICE_CHANGE",result="price-not-lower"} 1')
    expect(text).toContain('dropbell_inventory_events_total{type="STOCK_CHANGE",result="restock"} 0')
    expect(text).toContain('dropbell_triggers_detected_total{kind="price-drop"} 0')
  })

  it('count a trigger as an event and as detected', async () => {
    const registry = new Registry()
    createInventoryMetrics(registry).eventJudged('STOCK_CHANGE', { kind: 'restock', currentStock: 3 })
    const text = await registry.metrics()
    expect(text).toContain('dropbell_inventory_events_total{type="STOCK_CHANGE",result="restock"} 1')
    expect(text).toContain('dropbell_triggers_detected_total{kind="restock"} 1')
  })

  it('tell an audience of nobody from one of somebody', async () => {
    const registry = new Registry()
    const metrics = createInventoryMetrics(registry)
    metrics.audienceResolved('price-drop', 0, false)
    metrics.audienceResolved('price-drop', 1, true)
    const text = await registry.metrics()
    expect(text).toContain('dropbell_event_audience_users_bucket{le="0",kind="price-drop"} 1')
    expect(text).toContain('dropbell_event_audience_users_bucket{le="1",kind="price-drop"} 2')
    expect(text).toContain('dropbell_audiences_cut_total{kind="price-drop"} 1')
  })
})
