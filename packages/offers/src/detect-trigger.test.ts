import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectTrigger, ignoredReasons } from './detect-trigger.ts'
import { inventoryEvent } from './testing/inventory-event.ts'

const priceDropThreshold = 10

const detectPrice = (previousPrice: number | null, currentPrice: number | null, threshold = priceDropThreshold) =>
  detectTrigger(inventoryEvent({ eventType: 'PRICE_CHANGE', previousPrice, currentPrice }), {
    priceDropThreshold: threshold,
  })

const detectStock = (previousStock: number | null, currentStock: number | null) =>
  detectTrigger(inventoryEvent({ eventType: 'STOCK_CHANGE', previousStock, currentStock }), { priceDropThreshold })

const ignored = (reason: string) => ({ kind: 'ignored', reason })

/** A price as a shop has it: a whole number of units, each 10^exponent. */
interface Price {
  units: number
  exponent: number
}

/** As the wire carries it. */
const onTheWire = ({ units, exponent }: Price): number => Math.fround(Number(`${units}e${exponent}`))

/** In ten-thousandths, the smallest unit of the prices below. */
const exactly = ({ units, exponent }: Price): bigint => BigInt(units) * 10n ** BigInt(exponent + 4)

/** previous − current ≥ percent of previous, without a division or a fraction. */
const dropsBy = (previous: Price, current: Price, percent: number): boolean =>
  100n * (exactly(previous) - exactly(current)) >= BigInt(percent) * exactly(previous)

const sixDigits: fc.Arbitrary<Price> = fc.record({
  units: fc.integer({ min: 1, max: 999_999 }),
  exponent: fc.integer({ min: -4, max: 3 }),
})
const wholeNumber: fc.Arbitrary<Price> = fc.record({
  units: fc.integer({ min: 1, max: 2 ** 24 - 1 }),
  exponent: fc.constant(0),
})
const price = fc.oneof(sixDigits, wholeNumber)

/** Prices around the one that is `percent` lower than the first, where a rounding would show. */
const aroundThreshold = fc
  .record({
    tenth: fc.integer({ min: 1, max: 99_999 }),
    exponent: fc.integer({ min: -4, max: 3 }),
    off: fc.integer({ min: -2, max: 2 }),
  })
  .map(({ tenth, exponent, off }): [Price, Price] => [
    { units: tenth * 10, exponent },
    { units: Math.max(1, tenth * 9 + off), exponent },
  ])

const runs = { numRuns: 20_000, seed: 20_260_115 }

describe('a price change', () => {
  it('is a drop exactly if exact arithmetic on the written prices says so', () => {
    const pairs = fc.oneof(fc.tuple(price, price), aroundThreshold)
    fc.assert(
      fc.property(pairs, fc.integer({ min: 1, max: 100 }), ([previous, current], threshold) => {
        const detection = detectPrice(onTheWire(previous), onTheWire(current), threshold)
        expect(detection.kind === 'price-drop').toBe(dropsBy(previous, current, threshold))
      }),
      runs,
    )
  })

  it('says by how many whole percent, rounded down', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(price, price), aroundThreshold), ([previous, current]) => {
        const detection = detectPrice(onTheWire(previous), onTheWire(current), 1)
        fc.pre(detection.kind === 'price-drop')
        if (detection.kind !== 'price-drop') return
        expect(dropsBy(previous, current, detection.dropPercentage)).toBe(true)
        expect(dropsBy(previous, current, detection.dropPercentage + 1)).toBe(false)
      }),
      runs,
    )
  })

  it('counts an exact ten percent always, and the next price above it never', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: -4, max: 3 }), (tenth, exponent) => {
        const previous = onTheWire({ units: tenth * 10, exponent })
        expect(detectPrice(previous, onTheWire({ units: tenth * 9, exponent }))).toMatchObject({ dropPercentage: 10 })
        const short = detectPrice(previous, onTheWire({ units: tenth * 9 + 1, exponent }))
        expect(short).toEqual(ignored(tenth === 1 ? 'price-not-lower' : 'drop-below-threshold'))
      }),
      runs,
    )
  })

  it('never counts 9.99 percent', () => {
    expect(detectPrice(Math.fround(100), Math.fround(90.01))).toEqual(ignored('drop-below-threshold'))
    expect(detectPrice(Math.fround(0.1), Math.fround(0.09001))).toEqual(ignored('drop-below-threshold'))
  })

  it('tells prices as a person would write them', () => {
    expect(detectPrice(Math.fround(79.9), Math.fround(69.9))).toEqual({
      kind: 'price-drop',
      dropPercentage: 12,
      previousPrice: 79.9,
      currentPrice: 69.9,
    })
  })

  it('counts a price that fell to nothing', () => {
    expect(detectPrice(10, 0)).toMatchObject({ kind: 'price-drop', dropPercentage: 100, currentPrice: 0 })
  })

  it.each<[number | null, number | null, string]>([
    [null, 10, 'price-missing'],
    [10, null, 'price-missing'],
    [0, 10, 'price-invalid'],
    [-0, -0, 'price-invalid'],
    [-10, -20, 'price-invalid'],
    [10, -1, 'price-invalid'],
    [Number.NaN, 1, 'price-invalid'],
    [10, Number.NaN, 'price-invalid'],
    [Number.POSITIVE_INFINITY, 10, 'price-invalid'],
    [10, Number.NEGATIVE_INFINITY, 'price-invalid'],
    [1e39, 10, 'price-invalid'],
    [10, 10, 'price-not-lower'],
    [10, 11, 'price-not-lower'],
    [10, 9.5, 'drop-below-threshold'],
  ])('from %s to %s is ignored: %s', (previous, current, reason) => {
    expect(detectPrice(previous, current)).toEqual(ignored(reason))
  })

  it('is judged by its prices alone', () => {
    const event = inventoryEvent({ eventType: 'PRICE_CHANGE', previousStock: 0, currentStock: 5 })
    expect(detectTrigger(event, { priceDropThreshold })).toEqual(ignored('price-missing'))
  })
})

describe('a stock change', () => {
  it('from nothing to something is a restock', () => {
    expect(detectStock(0, 1)).toEqual({ kind: 'restock', currentStock: 1 })
    expect(detectStock(0, 500)).toEqual({ kind: 'restock', currentStock: 500 })
  })

  it.each<[number | null, number | null, string]>([
    [null, 5, 'stock-missing'],
    [0, null, 'stock-missing'],
    [-1, 5, 'stock-invalid'],
    [0, -5, 'stock-invalid'],
    [Number.NaN, 5, 'stock-invalid'],
    [0, Number.POSITIVE_INFINITY, 'stock-invalid'],
    [0, 0.5, 'stock-invalid'],
    [0, 0, 'still-out-of-stock'],
    [1, 5, 'was-in-stock'],
    [5, 0, 'was-in-stock'],
  ])('from %s to %s is ignored: %s', (previous, current, reason) => {
    expect(detectStock(previous, current)).toEqual(ignored(reason))
  })

  it('is judged by its stocks alone', () => {
    const event = inventoryEvent({ eventType: 'STOCK_CHANGE', previousPrice: 100, currentPrice: 10 })
    expect(detectTrigger(event, { priceDropThreshold })).toEqual(ignored('stock-missing'))
  })
})

describe('any event', () => {
  it('is ignored as an update of the product, whatever it says', () => {
    const said = { previousPrice: 100, currentPrice: 10, previousStock: 0, currentStock: 5 }
    expect(detectTrigger(inventoryEvent(said), { priceDropThreshold })).toEqual(ignored('no-price-or-stock-change'))
  })

  it('never makes an exception, and is ignored for known reasons only', () => {
    const amount = fc.option(fc.oneof(fc.double(), fc.float(), fc.integer()), { nil: null })
    const event: fc.Arbitrary<ProductInventoryEvent> = fc.record({
      eventId: fc.string(),
      productId: fc.string(),
      eventType: fc.constantFrom('PRICE_CHANGE', 'STOCK_CHANGE', 'PRODUCT_UPDATE'),
      previousPrice: amount,
      currentPrice: amount,
      previousStock: amount,
      currentStock: amount,
      timestamp: fc.integer(),
    })
    fc.assert(
      fc.property(event, (any) => {
        const detection = detectTrigger(any, { priceDropThreshold })
        if (detection.kind === 'ignored') expect(ignoredReasons).toContain(detection.reason)
      }),
      runs,
    )
  })
})
