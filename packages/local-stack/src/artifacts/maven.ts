import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { findJava } from '../engines/java.ts'
import { MissingToolError } from '../missing-tool-error.ts'
import type { FetchWatch } from './artifact-cache.ts'

const run = promisify(execFile)

/** `group:artifact:version[:type]` */
export type Coordinates = string

/** `published`: Maven refuses a file without one. `ours`: none is published, the caller compares with its own. */
export type Checksums = 'published' | 'ours'

/**
 * Copies artifacts and all they depend on at run time into a directory. Maven works in a repository of its own, so
 * that a damaged file in the user's cannot come back on every attempt.
 */
export const fetchWithMaven = async (
  coordinates: Coordinates[],
  directory: string,
  { onProgress, signal }: FetchWatch,
  checksums: Checksums = 'published',
): Promise<void> => {
  await findJava() // what Maven says without a proper one helps nobody
  const work = await mkdtemp(join(tmpdir(), 'dropbell-maven-'))
  const repository = join(work, 'repository')
  const progress = setInterval(async () => onProgress(`fetching, ${await megabytesIn(repository)} MB`), 500)
  try {
    onProgress('fetching')
    await writeFile(join(work, 'pom.xml'), projectFor(coordinates))
    await run(
      'mvn',
      [
        ...['--batch-mode', '--no-transfer-progress', '--quiet'],
        ...(checksums === 'published' ? ['--strict-checksums'] : []),
        ...['-f', join(work, 'pom.xml'), `-Dmaven.repo.local=${repository}`],
        ...['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${directory}`],
      ],
      { maxBuffer: 1 << 24, signal },
    )
  } catch (error) {
    signal.throwIfAborted()
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new MissingToolError('Maven (the command mvn)')
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    const [reason] = stripVTControlCharacters(stdout || stderr || String(error)).split('\n')
    throw new Error(`Maven could not fetch ${coordinates.join(', ')}: ${reason}`)
  } finally {
    clearInterval(progress)
    await rm(work, { recursive: true, force: true })
  }
}

const projectFor = (coordinates: Coordinates[]): string => `
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>dropbell</groupId><artifactId>local-stack</artifactId><version>1</version>
  <dependencies>${coordinates.map(dependency).join('')}</dependencies>
</project>`

const dependency = (coordinates: Coordinates): string => {
  const [group, artifact, version, type = 'jar'] = coordinates.split(':')
  return `
    <dependency>
      <groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version><type>${type}</type>
    </dependency>`
}

const megabytesIn = async (directory: string): Promise<number> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => sizeOf(join(entry.parentPath, entry.name))),
  )
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6)
}

/** Maven renames its files while we count. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
