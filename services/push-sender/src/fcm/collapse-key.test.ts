import { describe, expect, it } from 'vitest'
import { collapseKeyOf, webTopicOf } from './collapse-key.ts'

const keyOf = (notificationType: Parameters<typeof collapseKeyOf>[0]['notificationType'], productId = 'P', n = 'n-1') =>
  collapseKeyOf({ notificationType, productId, notificationId: n })

describe('the collapse key', () => {
  it('lets a newer price of a product replace the older one, and nothing else', () => {
    expect(keyOf('PRICE_DROP', 'P', 'n-1')).toBe(keyOf('PRICE_DROP', 'P', 'n-2'))
    expect(keyOf('PRICE_DROP', 'P')).not.toBe(keyOf('PRICE_DROP', 'Q'))
    expect(keyOf('PRICE_DROP')).not.toBe(keyOf('BACK_IN_STOCK'))
  })

  it('lets the recommendation of today replace that of yesterday, whatever it recommends', () => {
    expect(keyOf('RECOMMENDATION', 'P')).toBe(keyOf('RECOMMENDATION', 'Q'))
  })

  it('lets a transactional notification replace itself only', () => {
    expect(keyOf('TRANSACTIONAL', 'order-1', 'n-1')).not.toBe(keyOf('TRANSACTIONAL', 'order-1', 'n-2'))
  })

  it.each(['x'.repeat(65), '운동화', 'a b', 'x\r\ninjected: yes'])('fits into a header: %j', (productId) => {
    const key = keyOf('PRICE_DROP', productId)
    expect(key).toMatch(/^[\x21-\x7e]{1,64}$/)
    expect(key).not.toBe(keyOf('PRICE_DROP', `${productId}!`))
  })

  it('has a form for Web Push', () => {
    expect(webTopicOf(keyOf('PRICE_DROP'))).toMatch(/^[\w-]{32}$/)
  })
})
