import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface StackPaths {
  /** Downloads, shared by all stacks of this user. */
  cache: string
  /** Data, configuration, logs and state of one stack. */
  home: string
}

/**
 * Root keeps its files under /var: its engines run as an unprivileged user, who may not look into root's home.
 * Everyone else follows the XDG directories. Each checkout has a stack of its own.
 */
export const stackPaths = (env: NodeJS.ProcessEnv, checkout: string, uid = process.getuid?.() ?? -1): StackPaths => {
  const stackId = createHash('sha256').update(checkout).digest('hex').slice(0, 8)
  const [cacheRoot, stateRoot] =
    uid === 0
      ? ['/var/cache', '/var/lib']
      : [
          env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'),
          env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'),
        ]
  return {
    cache: env.DROPBELL_CACHE_DIR || join(cacheRoot, 'dropbell'),
    home: env.DROPBELL_STACK_DIR || join(stateRoot, 'dropbell', `stack-${stackId}`),
  }
}
