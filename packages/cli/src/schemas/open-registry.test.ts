import { expect, it, onTestFinished, vi } from 'vitest'
import { isRegistryGiven, openRegistryOf } from './open-registry.ts'

it('logs in with credentials from variables, whatever characters they have, and never shows them', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('[1]'))
  vi.stubGlobal('fetch', fetch)
  onTestFinished(() => void vi.unstubAllGlobals())

  const { client, address } = openRegistryOf({
    SCHEMA_REGISTRY_URL: 'https://registry:8081',
    SCHEMA_REGISTRY_USERNAME: 'ci',
    SCHEMA_REGISTRY_PASSWORD: '50%@:/ü',
  })
  expect(await client.versionsOf('orders-value')).toEqual([1])

  const [url, init] = fetch.mock.lastCall ?? []
  expect(url).toBe('https://registry:8081/subjects/orders-value/versions')
  expect(init?.headers).toMatchObject({ authorization: `Basic ${Buffer.from('ci:50%@:/ü').toString('base64')}` })
  expect(address).toBe('https://registry:8081')
})

it('does not take the default address for a registry that was given', () => {
  expect(isRegistryGiven({})).toBe(false)
  expect(isRegistryGiven({ SCHEMA_REGISTRY_URL: ' ' })).toBe(false)
  expect(isRegistryGiven({ SCHEMA_REGISTRY_URL: 'http://registry' })).toBe(true)
})
