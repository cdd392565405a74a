import type { Artifact } from '../artifacts/artifact-cache.ts'
import type { EngineCommand } from '../processes/engine-process.ts'
import type { EngineUser } from '../processes/engine-user.ts'

/** Where one engine of one stack lives. */
export interface EngineSite {
  /** Its data and configuration; belongs to the user that the engine runs as. */
  directory: string
  /** The fetched files, read-only. Empty for an engine that is part of this package. */
  installation: string
  ports: Record<string, number>
  /** The variables of the engines it depends on. */
  env: Record<string, string>
  user: EngineUser | undefined
}

/**
 * What the stack must know of an engine. A new one joins by being listed in `all-engines.ts`.
 */
export interface Engine {
  name: string
  title: string
  /** Started when these answer. */
  dependsOn: string[]
  /** By purpose, with the well-known number; `main` is the one that clients use. */
  ports: Record<string, number> & { main: number }
  artifact?: Artifact
  /** As ourselves even when we are root: for engines that are Node programs of this package. */
  runsAsCaller?: boolean
  stopSignal?: NodeJS.Signals
  /** Writes the configuration; on the first start also the empty database. Repeatable. */
  prepare(site: EngineSite): Promise<void>
  command(site: EngineSite): Promise<EngineCommand>
  /** One question in the engine's own protocol; answers with its version, or throws while it is not ready. */
  probe(site: EngineSite): Promise<string>
  /** What a client needs to find it. */
  env(site: EngineSite): Record<string, string>
}
