import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withFileLock } from './file-lock.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dropbell-lock-'))
})
afterEach(() => rm(directory, { recursive: true }))

describe('withFileLock', () => {
  it('lets one in at a time', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await new Promise(setImmediate)
      inside--
    }
    await Promise.all(Array.from({ length: 5 }, () => withFileLock(join(directory, 'lock'), work)))
    expect(most).toBe(1)
  })

  it('takes over the lock of a process that is gone', async () => {
    const path = join(directory, 'lock')
    await writeFile(path, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: 'long ago' }))
    expect(await withFileLock(path, async () => 'in')).toBe('in')
  })

  it('leaves nothing behind, also when the work fails', async () => {
    const failing = withFileLock(join(directory, 'lock'), async () => Promise.reject(new Error('no disk')))
    await expect(failing).rejects.toThrow('no disk')
    expect(await readdir(directory)).toEqual([])
  })
})
