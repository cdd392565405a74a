import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MissingToolError } from '../missing-tool-error.ts'

const run = promisify(execFile)

export interface Java {
  home: string
  binary: string
}

let found: Promise<Java> | undefined

/** The Java of the PATH (or of JAVA_HOME), asked for its home once. */
export const findJava = (env: NodeJS.ProcessEnv = process.env): Promise<Java> => {
  found ??= locate(env)
  return found
}

const locate = async (env: NodeJS.ProcessEnv): Promise<Java> => {
  const command = env.JAVA_HOME ? `${env.JAVA_HOME}/bin/java` : 'java'
  const { stderr } = await run(command, ['-XshowSettings:properties', '-version']).catch(() => {
    throw new MissingToolError('Java')
  })
  const setting = (name: string): string => new RegExp(`^\\s*${name} = (.*)$`, 'm').exec(stderr)?.[1] ?? ''
  if (Number(setting('java.specification.version')) < 17) {
    throw new MissingToolError(`Java 17 or newer (${command} is ${setting('java.specification.version')})`)
  }
  const home = setting('java.home')
  return { home, binary: `${home}/bin/java` }
}
