import { describe, expect, it } from 'vitest'
import { composeMessage, composeNotification } from './compose-notification.ts'
import { languageOf } from './notification-texts.ts'
import { samplePriceDrop, sampleRestock } from './testing/sample-triggers.ts'

describe('composeMessage', () => {
  it('tells of a price drop', () => {
    expect(composeMessage(samplePriceDrop, 'ko')).toEqual({
      title: '가격이 떨어졌어요!',
      body: '운동화가 12% 할인 중입니다!',
      data: { previousPrice: '79.9', currentPrice: '69.9', dropPercentage: '12' },
      channels: ['PUSH', 'IN_APP'],
      priority: 'HIGH',
    })
  })

  it('tells of a restock', () => {
    expect(composeMessage({ ...sampleRestock, productName: '가방' }, 'ko')).toEqual({
      title: '재입고 알림',
      body: '가방이 다시 입고되었습니다!',
      data: { currentStock: '3' },
      channels: ['PUSH', 'SMS'],
      priority: 'HIGH',
    })
  })

  it('changes nothing but the words for readers of English', () => {
    const { title, body, ...rest } = composeMessage({ ...samplePriceDrop, productName: 'Sneakers' }, 'en')
    expect([title, body]).toEqual(['The price has dropped!', 'Sneakers is now 12% off!'])
    expect(composeMessage(samplePriceDrop, 'ko')).toMatchObject(rest)
    expect(composeMessage({ ...sampleRestock, productName: 'Sneakers' }, 'en')).toMatchObject({
      title: 'Back in stock',
      body: 'Sneakers is available again!',
    })
  })

  it.each([undefined, '', ' \n\t', '\u200b'])('has words for a product without a name (%j)', (productName) => {
    expect(composeMessage({ ...samplePriceDrop, productName }, 'ko').body).toBe('상품이 12% 할인 중입니다!')
    expect(composeMessage({ ...sampleRestock, productName }, 'en').body).toBe('An item you like is available again!')
  })

  it('shows prices as the shortest decimals, as they came over the wire or not', () => {
    const { data } = composeMessage(
      { ...samplePriceDrop, previousPrice: Math.fround(79.9), currentPrice: 16_777_216 },
      'ko',
    )
    expect(data).toMatchObject({ previousPrice: '79.9', currentPrice: '16777216' })
  })

  it('puts a name on one line', () => {
    const productName = ' 운동화\r\n\u0000\u202e\ud800 270 '
    expect(composeMessage({ ...sampleRestock, productName }, 'ko').body).toBe('운동화 270이 다시 입고되었습니다!')
  })

  it('leaves composed emoji whole', () => {
    expect(composeMessage({ ...sampleRestock, productName: '👨‍👩‍👧 Set' }, 'en').body).toBe(
      '👨‍👩‍👧 Set is available again!',
    )
  })

  it('cuts a name that no lock screen would show, but no character in half', () => {
    const { body } = composeMessage({ ...sampleRestock, productName: '👟'.repeat(500) }, 'en')
    expect(body).toBe(`${'👟'.repeat(80)}… is available again!`)
  })
})

describe('composeNotification', () => {
  it('says for whom, from which event and until when', () => {
    const message = composeMessage(samplePriceDrop, 'ko')
    const addressing = { notificationId: 'n', userId: 'u', now: 5_000, expiresAt: 9_000 }
    expect(composeNotification(samplePriceDrop, message, addressing)).toEqual({
      ...message,
      notificationId: 'n',
      userId: 'u',
      productId: samplePriceDrop.productId,
      notificationType: 'PRICE_DROP',
      timestamp: 5_000,
      eventId: samplePriceDrop.eventId,
      eventTimestamp: samplePriceDrop.eventTimestamp,
      expiresAt: 9_000,
    })
  })
})

describe('languageOf', () => {
  it.each(['en', 'en-US', 'EN_gb'])('is English for %s', (locale) => {
    expect(languageOf(locale)).toBe('en')
  })

  it.each(['ko', 'ko-KR', 'fr', '', 'x-en'])('is Korean for %s', (locale) => {
    expect(languageOf(locale)).toBe('ko')
  })
})
