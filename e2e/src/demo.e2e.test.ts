import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive, type ProcessIdentity } from '@dropbell/local-stack/processes/process-identity'
import { runFromSource } from '@dropbell/local-stack/run-from-source'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dropbell-demo-'))
})
afterEach(async () => {
  await runFromSource('packages/local-stack/src/main.ts', ['reset'], { DROPBELL_STACK_DIR: home }).result
  await rm(home, { recursive: true, force: true })
})

const demo = (...args: string[]) => runFromSource('e2e/src/demo.ts', args, { DROPBELL_STACK_DIR: home }).result

const runningEngines = async (): Promise<number> => {
  const records = JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')) as Record<
    string,
    { process?: ProcessIdentity }
  >
  return Object.values(records).filter(({ process }) => process && isAlive(process)).length
}

describe('npx pnpm demo', () => {
  it('sends something through every engine and leaves none running, unless they are to be kept', async () => {
    const first = await demo('--keep')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    for (const engine of ['Kafka', 'Elasticsearch', 'Redis', 'Postgres']) {
      expect(first.stdout).toMatch(new RegExp(`^${engine} +\\d+\\.\\S+ +\\d+ +[\\d.]+ s +ok$`, 'm'))
    }
    expect(first.stdout).toMatch(/^sneakers-\w+ +PRICE_CHANGE +price 99\.9 → 79\.9$/m)
    expect(first.stdout).toMatch(/^backpack-\w+ +STOCK_CHANGE +stock 0 → 12$/m)
    // 40 + 40 visitors of the sneakers, 12 carts, 5 of the lamp, 11 times the fan; 5 visitors opted out of prices, the
    // second drop comes within the hour, and the fan has had ten.
    const funnel = ['17 events', '15 detected', '108 targets', '62 admitted', '35 refused: duplicate']
    for (const line of [...funnel, '10 refused: opted-out', '1 refused: daily-limit', '62 published']) {
      expect(first.stdout).toContain(` ${line}`)
    }
    // Five sleep, and the lamp is as dear as before.
    for (const [users, ...ending] of [
      [52, 'SENT'],
      [35, 'RATE_LIMITED', 'DUPLICATE'],
      [10, 'USER_OPTED_OUT', 'OPTED_OUT'],
      [5, 'DEFERRED', 'QUIET_HOURS'],
      [5, 'STALE', 'PRICE_ROSE'],
      [1, 'RATE_LIMITED', 'DAILY_LIMIT'],
    ]) {
      expect(first.stdout).toMatch(new RegExp(`^${users} +${ending.join(' +')} +\\S+-\\w+`, 'm'))
    }
    // One of them went to two phones, one of which is dead; nobody who opted out heard of a price.
    expect(first.stdout).toContain('52 pushes arrived at devices, none twice (most to one device: 1)')
    expect(first.stdout).toContain('1 dead token found: its device is INVALID (UNREGISTERED)')
    expect(first.stdout).toContain(' 0 pushes about prices to the visitors who opted out')
    // Everybody was active; the fan has had ten already.
    expect(first.stdout).toMatch(/^ +41 users were active, the batch of \d{4}-\d\d-\d\d is DONE$/m)
    expect(first.stdout).toMatch(/^ +40 got recommendations\n +1 refused: daily-limit\n +0 left out/m)
    const kept = await runningEngines()
    expect(kept).toBeGreaterThanOrEqual(4)

    expect(await demo()).toMatchObject({ code: 0, stdout: expect.stringContaining('The engines stay up') })
    expect(await runningEngines()).toBe(kept)

    await runFromSource('packages/local-stack/src/main.ts', ['down'], { DROPBELL_STACK_DIR: home }).result
    expect(await demo()).toMatchObject({ code: 0, stdout: expect.stringContaining('The engines are down again') })
    expect(await runningEngines()).toBe(0)
  })

  it('explains itself', async () => {
    expect(await demo('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--keep') })
  })
})
