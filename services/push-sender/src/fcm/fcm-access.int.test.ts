import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fcmConfig } from './config.ts'
import { fcmAccess } from './fcm-access.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dropbell-fcm-'))
})
afterAll(() => rm(directory, { recursive: true }))

const accessBy = async (content: string, env: Record<string, string> = {}) => {
  const file = join(directory, 'key.json')
  await writeFile(file, content)
  return fcmAccess(loadConfig(defineConfig(fcmConfig), { FCM_CREDENTIALS_FILE: file, ...env }))
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const key = {
  type: 'service_account',
  project_id: 'shop',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'sender@shop.iam.gserviceaccount.com',
}

describe('the key of a service account', () => {
  it('leads to its own project at Google, unless another is named', async () => {
    const google = 'https://fcm.googleapis.com'
    expect(await accessBy(JSON.stringify(key))).toMatchObject({ origin: google, projectId: 'shop' })
    expect(await accessBy(JSON.stringify(key), { FCM_PROJECT_ID: 'other' })).toMatchObject({ projectId: 'other' })
  })

  it.each([
    ['no JSON', '-----BEGIN PRIVATE KEY-----secret'],
    ['no key in it', JSON.stringify({ ...key, private_key: 'secret' })],
  ])('is not quoted when it cannot be read: %s', async (_, content) => {
    const failure = await accessBy(content).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'PermanentError', code: 'FCM_CREDENTIALS_UNUSABLE' })
    expect(inspect(failure)).not.toContain('secret')
  })

  it('has to name a project, if the configuration does not', async () => {
    const { project_id: _, ...withoutProject } = key
    await expect(accessBy(JSON.stringify(withoutProject))).rejects.toMatchObject({ code: 'FCM_PROJECT_UNKNOWN' })
  })
})
