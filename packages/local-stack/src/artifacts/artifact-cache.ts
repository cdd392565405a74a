import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { withFileLock } from '../file-lock.ts'

export interface Artifact {
  /** Name and version: a new version is a new directory. */
  id: string
  /** Puts the files into an empty directory. */
  fetch(directory: string, watch: FetchWatch): Promise<void>
}

/** Someone looks on while an artifact is fetched, and may call it off. */
export interface FetchWatch {
  onProgress(detail: string): void
  signal: AbortSignal
}

const manifestName = 'dropbell-manifest.json'

/**
 * The directory of an artifact, fetched once. An installation is whole when every file has the hash that was written
 * down after the download; anything else is thrown away and fetched again.
 */
export const installArtifact = (cache: string, { id, fetch }: Artifact, watch: FetchWatch): Promise<string> => {
  const install = async (): Promise<string> => {
    const target = join(cache, id)
    const fault = await findFault(target)
    if (!fault) return target
    if (fault !== 'missing') watch.onProgress(`cached copy is damaged (${fault}), fetching it again`)
    const draft = join(cache, `.${id}.partial`)
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { recursive: true })
    await fetch(draft, watch)
    await writeFile(join(draft, manifestName), JSON.stringify(await hashFiles(draft), null, 1))
    await makeReadable(draft)
    await rm(target, { recursive: true, force: true })
    await rename(draft, target)
    return target
  }
  const onWait = (): void => watch.onProgress('waiting for another process that fetches it')
  return withFileLock(join(cache, `${id}.lock`), install, { signal: watch.signal, onWait })
}

const findFault = async (directory: string): Promise<string | undefined> => {
  const manifest = await readManifest(join(directory, manifestName))
  if (!manifest) return 'missing'
  for (const [file, hash] of Object.entries(manifest)) {
    const found = await hashFile(join(directory, file)).catch(() => undefined)
    if (found !== hash) return found ? `${file} has changed` : `${file} is gone`
  }
  return undefined
}

const readManifest = async (path: string): Promise<Record<string, string> | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>
  } catch {
    return undefined // never finished, or damaged: in either case there is nothing to rely on
  }
}

const hashFiles = async (directory: string): Promise<Record<string, string>> => {
  const hashes: Record<string, string> = {}
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    hashes[relative(directory, path)] = await hashFile(path)
  }
  return hashes
}

export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

/** Whatever the umask: the engines' unprivileged user reads these files. */
const makeReadable = async (directory: string): Promise<void> => {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    await chmod(path, mode | (entry.isDirectory() ? 0o555 : mode & 0o100 ? 0o555 : 0o444))
  }
}
