import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { expect, it } from 'vitest'
import { emailConfig } from '../email/config.ts'
import { fcmConfig } from '../fcm/config.ts'
import { smsConfig } from '../sms/config.ts'

it('sends to the simulators with the variables of a stack as they are', () => {
  const env = { ...testEnv() }
  const { FCM_ENDPOINT, SMS_GATEWAY_URL, SMTP_URL } = loadConfig(defineConfig(fcmConfig, smsConfig, emailConfig), env)
  expect({ FCM_ENDPOINT, SMS_GATEWAY_URL, SMTP_URL }).toEqual({
    FCM_ENDPOINT: env.FCM_ENDPOINT,
    SMS_GATEWAY_URL: env.SMS_GATEWAY_URL,
    SMTP_URL: env.SMTP_URL,
  })
})
