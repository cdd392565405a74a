import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Artifact, installArtifact } from './artifact-cache.ts'

let cache: string
let fetches: number
const details: string[] = []
const watch = { onProgress: (detail: string) => details.push(detail), signal: new AbortController().signal }

const artifact: Artifact = {
  id: 'engine-1.0',
  async fetch(directory) {
    fetches++
    await mkdir(join(directory, 'bin'))
    await writeFile(join(directory, 'bin', 'engine'), 'machine code', { mode: 0o700 })
    await writeFile(join(directory, 'library'), 'more of it')
  },
}

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'dropbell-cache-'))
  fetches = 0
  details.length = 0
})
afterEach(() => rm(cache, { recursive: true }))

describe('installArtifact', () => {
  it('fetches once', async () => {
    const first = await installArtifact(cache, artifact, watch)
    expect(await installArtifact(cache, artifact, watch)).toBe(first)
    expect(fetches).toBe(1)
  })

  it.each([
    ['changed', (directory: string) => writeFile(join(directory, 'library'), 'more of IT'), 'library has changed'],
    ['cut short', (directory: string) => truncate(join(directory, 'bin', 'engine'), 3), 'bin/engine has changed'],
    ['deleted', (directory: string) => rm(join(directory, 'library')), 'library is gone'],
  ])('fetches again when a file was %s, and says so', async (_, damage, words) => {
    const directory = await installArtifact(cache, artifact, watch)
    await damage(directory)
    await installArtifact(cache, artifact, watch)
    expect(fetches).toBe(2)
    expect(await readFile(join(directory, 'library'), 'utf8')).toBe('more of it')
    expect(details.join()).toContain(words)
  })

  it('fetches again after a download that broke off half-way', async () => {
    const broken: Artifact = {
      ...artifact,
      async fetch(directory) {
        await writeFile(join(directory, 'library'), 'mo')
        throw new Error('connection lost')
      },
    }
    await expect(installArtifact(cache, broken, watch)).rejects.toThrow('connection lost')
    const directory = await installArtifact(cache, artifact, watch)
    expect(await readFile(join(directory, 'library'), 'utf8')).toBe('more of it')
  })

  it('lets an unprivileged user read and run what it installed', async () => {
    const directory = await installArtifact(cache, artifact, watch)
    expect((await stat(join(directory, 'bin', 'engine'))).mode & 0o777).toBe(0o755)
  })

  it('is fetched by one of several processes that want it at once', async () => {
    await Promise.all([1, 2, 3].map(() => installArtifact(cache, artifact, watch)))
    expect(fetches).toBe(1)
  })
})
