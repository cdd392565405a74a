import { captureLog } from '@dropbell/shared/testing/capture-log'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { migrate } from './migrate.ts'
import { readDevices } from './read-devices.ts'
import { type DeviceRegistration, registerDevice } from './register-device.ts'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await migrate({ connection: { connectionString: database.url }, log: captureLog().log })
})
afterAll(() => database.drop())
afterEach(async () => {
  vi.restoreAllMocks()
  await database.pool.query('TRUNCATE devices')
})

const register = (said: Partial<DeviceRegistration> = {}) =>
  registerDevice(database.pool, {
    ...{ deviceId: 'phone', userId: 'u', token: 't', platform: 'ANDROID', pushConsent: true },
    ...said,
  })

describe('registerDevice', () => {
  it('lets a token rotate, and brings an INVALID device back', async () => {
    await register()
    await database.pool.query("UPDATE devices SET status = 'INVALID', invalid_reason = 'UNREGISTERED'")
    expect(await readDevices(database.pool, ['u'])).toEqual(new Map())
    await register({ token: 't2', locale: 'ko' })
    expect((await readDevices(database.pool, ['u'])).get('u')).toEqual([
      { deviceId: 'phone', token: 't2', platform: 'ANDROID', locale: 'ko', pushConsent: true },
    ])
  })

  it('moves a token that another device had: it belongs to one device', async () => {
    await register({ userId: 'before' })
    await register({ deviceId: 'phone, installed anew', userId: 'after' })
    const devices = await readDevices(database.pool, ['before', 'after'])
    expect([...devices.keys()]).toEqual(['after'])
    await expect(
      database.pool.query(
        "INSERT INTO devices (device_id, user_id, token, platform, push_consent) VALUES ('x', 'x', 't', 'IOS', true)",
      ),
    ).rejects.toMatchObject({ code: '23505' })
  })
})

describe('two registrations of one token at the same time', () => {
  it('both succeed, and one of the devices has it', async () => {
    const devices = Array.from({ length: 8 }, (_, index) => `phone-${index}`)
    await Promise.all(devices.map((deviceId) => register({ deviceId })))
    expect((await readDevices(database.pool, ['u'])).get('u')).toHaveLength(1)
  })
})

describe('readDevices', () => {
  it('answers for all users of a batch with one query', async () => {
    for (const deviceId of ['phone', 'tablet']) await register({ deviceId, token: deviceId })
    await register({ deviceId: 'other', token: 'other', userId: 'v', pushConsent: false })
    const query = vi.spyOn(database.pool, 'query')
    const devices = await readDevices(database.pool, ['u', 'v', 'nobody', 'nul\0'])
    expect(query).toHaveBeenCalledTimes(1)
    expect([...devices].map(([userId, list]) => [userId, list.map(({ deviceId }) => deviceId)])).toEqual([
      ['u', ['phone', 'tablet']],
      ['v', ['other']],
    ])
    expect(await readDevices(database.pool, [])).toEqual(new Map())
  })
})
