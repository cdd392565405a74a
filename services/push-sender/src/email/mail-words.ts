export interface MailWords {
  readonly lang: string
  readonly why: string
  readonly whyTransactional: string
  readonly unsubscribe: string
}

const words = {
  ko: {
    lang: 'ko',
    why: '관심 상품 알림을 이메일로 받기로 하셔서 보내드립니다.',
    whyTransactional: '이용하신 서비스에 관한 안내 메일입니다.',
    unsubscribe: '이메일 알림 그만 받기',
  },
  en: {
    lang: 'en',
    why: 'You get this because you asked for alerts about products by e-mail.',
    whyTransactional: 'This is about something you did in our service.',
    unsubscribe: 'Stop these e-mails',
  },
} as const satisfies Record<string, MailWords>

/** Notifications are composed in Korean unless somebody says otherwise. */
export const mailWords = (locale: string | undefined): MailWords =>
  locale === undefined || /^ko\b/i.test(locale) ? words.ko : words.en
