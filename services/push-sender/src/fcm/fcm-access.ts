import { readFileSync } from 'node:fs'
import { PermanentError } from '@dropbell/shared/errors'
import { applicationDefault, type Credential, cert, type ServiceAccount } from 'firebase-admin/app'
import type { FcmConfig } from './config.ts'

export type AccessConfig = Pick<
  FcmConfig,
  'FCM_ENDPOINT' | 'FCM_PROJECT_ID' | 'FCM_CREDENTIALS_FILE' | 'FCM_APPLICATION_DEFAULT_CREDENTIALS' | 'FCM_TRANSPORT'
>

/** Which FCM there is to talk to, as whom. */
export interface FcmAccess {
  readonly origin: string
  readonly projectId: string
  /** A new one each time. */
  openCredential(): Credential
}

const productionOrigin = 'https://fcm.googleapis.com'
const simulatedProject = 'dropbell'

/** For a simulator: it looks at the form of a token only, and a real one would be a secret given away. */
const noCredential: Credential = {
  getAccessToken: async () => ({ access_token: 'simulated', expires_in: 3_600 }),
}

/** Undefined where there is none: then pushes can only be simulated. */
export const fcmAccess = (config: AccessConfig): FcmAccess | undefined => {
  const { FCM_ENDPOINT, FCM_PROJECT_ID, FCM_CREDENTIALS_FILE } = config
  if (FCM_ENDPOINT !== undefined) {
    const origin = new URL(FCM_ENDPOINT).origin
    return { origin, projectId: FCM_PROJECT_ID ?? simulatedProject, openCredential: () => noCredential }
  }
  if (FCM_CREDENTIALS_FILE !== undefined) return accessByKey(FCM_CREDENTIALS_FILE, FCM_PROJECT_ID)
  if (config.FCM_APPLICATION_DEFAULT_CREDENTIALS && FCM_PROJECT_ID !== undefined) {
    return { origin: productionOrigin, projectId: FCM_PROJECT_ID, openCredential: () => applicationDefault() }
  }
  return undefined
}

export const transportOf = ({ FCM_TRANSPORT }: AccessConfig, access: FcmAccess | undefined) =>
  FCM_TRANSPORT ?? (access === undefined ? 'simulated' : 'http2')

const accessByKey = (file: string, projectId: string | undefined): FcmAccess => {
  const key = readKey(file)
  const project = projectId ?? key.project_id
  if (project === undefined) {
    throw new PermanentError('FCM_PROJECT_UNKNOWN', `${file} names no project, and FCM_PROJECT_ID is not set`)
  }
  try {
    cert(key as ServiceAccount) // is it one?
    return { origin: productionOrigin, projectId: project, openCredential: () => cert(key as ServiceAccount) }
  } catch {
    throw unusable(file)
  }
}

const readKey = (file: string): { project_id?: string } => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { project_id?: string }
  } catch {
    throw unusable(file)
  }
}

/** Without a cause: parsers quote what they could not read, which here is a private key. */
const unusable = (file: string): PermanentError =>
  new PermanentError('FCM_CREDENTIALS_UNUSABLE', `${file} cannot be read as the key of a service account`)
