import { type Control, createControl } from '../simulator/control-client.ts'
import type { SmsMessage } from './answer-message.ts'
import type { SmsBehaviour } from './behaviour.ts'

export type { SmsMessage } from './answer-message.ts'
export type { SmsBehaviour } from './behaviour.ts'

export type SmsControl = Control<SmsBehaviour, SmsMessage>

/** `endpoint` is any URL of the simulator, such as SMS_GATEWAY_URL. */
export const createSmsControl = (endpoint: string, account: string): SmsControl => createControl(endpoint, account)

/** Where an account's messages are posted to. */
export const smsGatewayUrl = (endpoint: string, account: string): string =>
  new URL(`/accounts/${encodeURIComponent(account)}/messages`, endpoint).href
