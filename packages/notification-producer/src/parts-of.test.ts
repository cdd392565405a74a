import { collect, streamOf } from '@dropbell/shared/testing/streams'
import { describe, expect, it } from 'vitest'
import { partsOf } from './parts-of.ts'

const page = (event: string, users: string) => ({ event, users: [...users] })

const describeParts = async (pages: ReturnType<typeof page>[], size: number) =>
  (await collect(partsOf(streamOf(pages), size))).map((part) =>
    part.map(({ event, users }) => `${event}:${users.join('')}`).join(' '),
  )

describe('partsOf', () => {
  it('gathers small pages and divides large ones, in order', async () => {
    const pages = [page('A', 'ab'), page('B', 'c'), page('C', 'defghij'), page('D', 'k')]
    expect(await describeParts(pages, 4)).toEqual(['A:ab B:c C:d', 'C:efgh', 'C:ij D:k'])
  })

  it('makes parts of exactly the size asked for, and a last one of the rest', async () => {
    expect(await describeParts([page('A', 'abcd')], 2)).toEqual(['A:ab', 'A:cd'])
    expect(await describeParts([page('A', 'abcde')], 2)).toEqual(['A:ab', 'A:cd', 'A:e'])
  })

  it('makes nothing of nobody', async () => {
    expect(await describeParts([page('A', ''), page('B', '')], 2)).toEqual([])
  })
})
