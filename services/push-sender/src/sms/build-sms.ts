import { deliveryFingerprint } from '../delivery-fingerprint.ts'
import { cutTo, inLines, oneLine } from '../plain-text.ts'
import type { Outgoing } from '../provider.ts'
import { renderBody, type SmsContentType } from './body-template.ts'

export interface SmsRules {
  readonly contentType: SmsContentType
  readonly template: string
  readonly maxCharacters: number
}

export interface Sms {
  readonly body: string
  readonly idempotencyKey: string
}

/** Undefined for an address that is no phone number. */
export const buildSms = ({ deliveryId, notification, target }: Outgoing, rules: SmsRules): Sms | undefined => {
  const to = target.address.replace(/[\s().-]/g, '')
  if (!/^\+?\d{3,20}$/.test(to)) return undefined
  const { maxCharacters } = rules
  const title = oneLine(notification.title)
  const body = inLines(notification.body)
  const idempotencyKey = deliveryFingerprint(deliveryId)
  const values = {
    to,
    text: cutTo([title, body].filter((part) => part !== '').join('\n'), maxCharacters),
    title: cutTo(title, maxCharacters),
    body: cutTo(body, maxCharacters),
    type: notification.notificationType,
    notificationId: notification.notificationId,
    idempotencyKey,
  }
  return { body: renderBody(rules.template, rules.contentType, values), idempotencyKey }
}
