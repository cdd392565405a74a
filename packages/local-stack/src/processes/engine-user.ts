import { execFileSync } from 'node:child_process'
import { chown } from 'node:fs/promises'

/** Who the engines run as: `undefined` means as ourselves. */
export interface EngineUser {
  uid: number
  gid: number
}

/**
 * Elasticsearch and Postgres refuse to run as root, and no engine needs it. Under sudo the engines run as the person
 * who typed the command, otherwise as `nobody`.
 */
export const findEngineUser = (env: NodeJS.ProcessEnv): EngineUser | undefined => {
  if (process.getuid?.() !== 0) return undefined
  if (env.SUDO_UID && env.SUDO_UID !== '0') return { uid: Number(env.SUDO_UID), gid: Number(env.SUDO_GID) }
  return { uid: readId('-u'), gid: readId('-g') }
}

const readId = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))

export const giveTo = async (user: EngineUser | undefined, ...paths: string[]): Promise<void> => {
  if (!user) return
  for (const path of paths) await chown(path, user.uid, user.gid)
}
