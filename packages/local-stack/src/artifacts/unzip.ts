import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Entry, openPromise } from 'yauzl'

/** Extracts the entries that `place` gives a path below the directory, with their permissions. */
export const unzip = async (
  archive: string,
  directory: string,
  place: (name: string) => string | undefined,
): Promise<void> => {
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false })
  try {
    for await (const entry of zip.eachEntry()) {
      const name = place(entry.fileName)
      if (!name || name.endsWith('/')) continue
      const target = resolve(directory, name)
      if (!target.startsWith(resolve(directory) + sep)) throw new Error(`${archive}: ${name} lies outside the archive`)
      await mkdir(dirname(target), { recursive: true })
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target, { mode: modeOf(entry) }))
    }
  } finally {
    zip.close()
  }
}

/** The upper half of the external attributes holds the Unix mode; archives made elsewhere have none. */
const modeOf = (entry: Entry): number => (entry.externalFileAttributes >>> 16) & 0o777 || 0o644
