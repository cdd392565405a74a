import { readFileSync } from 'node:fs'
import { PermanentError } from './errors.ts'

/** TLS options with the CA of a file, or with those Node trusts anyway. Read once, while a service starts. */
export const caOptions = (path: string | undefined): { ca?: string } => {
  if (path === undefined) return {}
  try {
    return { ca: readFileSync(path, 'utf8') }
  } catch (cause) {
    throw new PermanentError('CA_FILE_UNREADABLE', `The CA file ${path} cannot be read`, { cause })
  }
}
