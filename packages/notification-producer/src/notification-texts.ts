import { withObjectParticle, withSubjectParticle } from './particles.ts'
import type { Trigger } from './trigger.ts'

export type Language = 'ko' | 'en'

/** English to whoever asked for it, Korean to everybody else. */
export const languageOf = (locale: string): Language => (/^en/i.test(locale) ? 'en' : 'ko')

export interface NotificationText {
  readonly title: string
  readonly body: string
}

export const textOf = (trigger: Trigger, language: Language): NotificationText => {
  const name = displayName(trigger.productName)
  return language === 'en' ? english(trigger, name) : korean(trigger, name)
}

const korean = (trigger: Trigger, name = '상품'): NotificationText => {
  switch (trigger.type) {
    case 'PRICE_DROP':
      return {
        title: '가격이 떨어졌어요!',
        body: `${withSubjectParticle(name)} ${trigger.dropPercentage}% 할인 중입니다!`,
      }
    case 'BACK_IN_STOCK':
      return { title: '재입고 알림', body: `${withSubjectParticle(name)} 다시 입고되었습니다!` }
  }
}

const english = (trigger: Trigger, name = 'An item you like'): NotificationText => {
  switch (trigger.type) {
    case 'PRICE_DROP':
      return { title: 'The price has dropped!', body: `${name} is now ${trigger.dropPercentage}% off!` }
    case 'BACK_IN_STOCK':
      return { title: 'Back in stock', body: `${name} is available again!` }
  }
}

export const recommendationTitle: Readonly<Record<Language, string>> = {
  ko: '오늘의 추천 상품',
  en: "Today's picks for you",
}

/** Of several products, in the order in which they are recommended. Those without a name are not spoken of. */
export const recommendationTextOf = (
  productNames: readonly (string | undefined)[],
  language: Language,
): NotificationText => {
  const names = productNames.flatMap((name) => displayName(name, longestNameOfSeveral) ?? []).join(', ')
  const title = recommendationTitle[language]
  return language === 'en'
    ? { title, body: `We recommend ${names || 'items you may like'}!` }
    : { title, body: `${withObjectParticle(names || '상품')} 추천드려요!` }
}

// A push carries 4 KiB in all, and a lock screen shows two lines.
const longestName = 80
const longestNameOfSeveral = 40

// Line ends, invisible and broken characters. Not the joiner of which emoji are made.
const unreadable = /(?:(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Z}])+/gu

/** On one line and short enough; undefined where nothing is left to be read. */
const displayName = (name: string | undefined, longest = longestName): string | undefined => {
  const line = [...(name ?? '').replace(unreadable, ' ').trim()]
  if (line.length === 0) return undefined
  return line.length <= longest ? line.join('') : `${line.slice(0, longest).join('').trimEnd()}…`
}
