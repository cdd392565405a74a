import { Pool } from 'undici'
import type { ChannelTransport } from '../channel-transport.ts'
import type { SendResult } from '../provider.ts'
import { sendEach } from '../send-each.ts'
import { parseAuthHeader } from './auth-header.ts'
import { buildSms, type SmsRules } from './build-sms.ts'
import type { SmsConfig } from './config.ts'
import { postToGateway } from './gateway-request.ts'
import { readGatewayAnswer } from './read-gateway-answer.ts'

export interface SmsTransportOptions {
  config: SmsConfig
  gatewayUrl: string
  /** Milliseconds since the epoch. */
  now(): number
}

const noPhoneNumber: SendResult = { kind: 'refused', code: 'INVALID_ADDRESS', retryable: false, latencyMs: 0 }

/** Nothing is connected yet when this returns. */
export const createSmsTransport = ({ config, gatewayUrl, now }: SmsTransportOptions): ChannelTransport => {
  const { origin, pathname, search } = new URL(gatewayUrl)
  const pool = new Pool(origin, {
    connections: config.SMS_MAX_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: config.SMS_CONNECT_TIMEOUT_MS },
  })
  const rules: SmsRules = {
    contentType: config.SMS_CONTENT_TYPE,
    template: config.SMS_BODY_TEMPLATE,
    maxCharacters: config.SMS_MAX_CHARACTERS,
  }
  const auth = config.SMS_AUTH_HEADER === undefined ? undefined : parseAuthHeader(config.SMS_AUTH_HEADER)
  const headers = {
    'content-type': `${config.SMS_CONTENT_TYPE}; charset=utf-8`,
    accept: 'application/json',
    ...(auth && { [auth.name]: auth.value }),
  }
  const path = `${pathname}${search}`
  return {
    send: (messages, options) =>
      sendEach(messages, options, {
        atOnce: config.SMS_MAX_CONNECTIONS,
        sendOne: async (outgoing, signal) => {
          const sms = buildSms(outgoing, rules)
          if (sms === undefined) return noPhoneNumber
          const request = {
            path,
            headers: { ...headers, [config.SMS_IDEMPOTENCY_HEADER]: sms.idempotencyKey },
            body: sms.body,
          }
          return postToGateway(pool, request, signal, (answer, latencyMs) =>
            readGatewayAnswer(answer, latencyMs, now()),
          )
        },
      }),
    close: () => pool.destroy(),
  }
}
