import { samplePriceDrop, sampleRestock } from '@dropbell/notification-producer/testing/sample-triggers'
import { judgeOffer } from '@dropbell/offers/judge-offer'
import { expect, it } from 'vitest'
import { offerOf } from './offer-of.ts'

const at = samplePriceDrop.eventTimestamp
const soldOut = (when: number) => ({ price: { value: 69.9, at }, stock: { value: 0, at: when } })

it('a price drop is told although its stock ran out before or in its very event, and not once it ran out since', () => {
  const offer = offerOf(samplePriceDrop)
  expect([at - 1, at, at + 1].map((when) => judgeOffer(offer, soldOut(when)))).toEqual(['good', 'good', 'sold-out'])
})

it('a restock is stale when it sold out in the same moment, and not by what was before', () => {
  const offer = offerOf(sampleRestock)
  expect([at - 1, at].map((when) => judgeOffer(offer, soldOut(when)))).toEqual(['good', 'sold-out'])
})
