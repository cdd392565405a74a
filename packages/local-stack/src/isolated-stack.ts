import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allEngines } from './engines/all-engines.ts'
import type { Engine } from './engines/engine.ts'
import { findEngineUser } from './processes/engine-user.ts'
import { openStack, type Stack, type UpOptions } from './stack.ts'
import { stackPaths } from './stack-paths.ts'

export interface IsolatedStackOptions extends UpOptions {
  /** By name; the default is all of them. */
  engines?: string[]
  /** Where downloads are kept, if not where all stacks of this user keep them. */
  cache?: string
}

/**
 * A stack with ports and data of its own beside whatever else runs, for tests, demo, bench and chaos. It is ready when
 * this returns, goes with `reset()`, and is cleaned up even if this process is killed.
 */
export const startIsolatedStack = async ({
  engines,
  cache = stackPaths(process.env, process.cwd()).cache,
  ...upOptions
}: IsolatedStackOptions = {}): Promise<Stack> => {
  const home = await mkdtemp(join(tmpdir(), 'dropbell-stack-'))
  const chosen: readonly Engine[] = engines ? allEngines.filter(({ name }) => engines.includes(name)) : allEngines
  const user = findEngineUser(process.env)
  const stack = await openStack({ home, cache, user, engines: chosen, ports: 'free', ephemeral: true })
  try {
    await stack.up(upOptions)
    return stack
  } catch (error) {
    await stack.reset()
    throw error
  }
}
