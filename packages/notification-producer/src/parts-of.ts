/** Some of the users who are interested in what happened. */
interface Page {
  readonly users: readonly string[]
}

/**
 * Gathers pages until they have `size` users, and divides those that are longer: many small audiences cost as little as
 * one large one. In order; each part but the last has exactly `size` users.
 */
export async function* partsOf<P extends Page>(
  pages: AsyncIterable<P>,
  size: number,
): AsyncGenerator<readonly P[], void, undefined> {
  let part: P[] = []
  let room = size
  for await (const page of pages) {
    for (let start = 0; start < page.users.length; ) {
      const users = page.users.slice(start, start + room)
      part.push({ ...page, users })
      start += users.length
      room -= users.length
      if (room > 0) continue
      yield part
      part = []
      room = size
    }
  }
  if (part.length > 0) yield part
}
