import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Words of the business. `packages/shared` holds mechanisms that would serve any other one. */
const businessWords =
  /\b(product|price|stock|restock|inventory|notification|recommendation|reminder|shopper|audience)s?\b/i

const sources = readdirSync('packages/shared/src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
  .map(({ parentPath, name }) => join(parentPath, name))

describe('packages/shared', () => {
  it.each(sources)('%s knows no business word', (path) => {
    expect(
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => businessWords.test(line)),
    ).toEqual([])
  })
})
