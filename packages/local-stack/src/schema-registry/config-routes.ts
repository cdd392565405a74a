import type { FastifyInstance } from 'fastify'
import { type CompatibilityLevel, parseLevel } from './compatibility-level.ts'
import { compatibilityNotConfigured, invalidCompatibilityLevel, subjectNotFound } from './errors.ts'
import { flag, readBody, readSubject, type SubjectParams } from './request.ts'
import type { RouteDeps } from './route-deps.ts'

type OfSubject = { Params: SubjectParams; Querystring: Readonly<Record<string, string>> }

export const configRoutes = (app: FastifyInstance, { registry, store }: RouteDeps) => {
  app.get('/config', async () => ({ compatibilityLevel: store.levelOf(undefined) }))

  app.put('/config', async ({ body }) => {
    const level = readLevel(body)
    await registry.setLevel(undefined, level)
    return { compatibility: level }
  })

  app.delete('/config', async () => {
    const compatibilityLevel = store.levelOf(undefined)
    await registry.setLevel(undefined, undefined)
    return { compatibilityLevel }
  })

  app.get<OfSubject>('/config/:subject', async ({ params, query }) => {
    const subject = readSubject(params)
    const level = flag(query.defaultToGlobal) ? store.levelOf(subject) : store.configuredLevel(subject)
    if (level === undefined) throw compatibilityNotConfigured(subject)
    return { compatibilityLevel: level }
  })

  app.put<OfSubject>('/config/:subject', async ({ params, body }) => {
    const subject = readSubject(params)
    const level = readLevel(body)
    await registry.setLevel(subject, level)
    return { compatibility: level }
  })

  app.delete<OfSubject>('/config/:subject', async ({ params }) => {
    const subject = readSubject(params)
    const compatibilityLevel = store.configuredLevel(subject)
    if (compatibilityLevel === undefined) throw subjectNotFound(subject)
    await registry.setLevel(subject, undefined)
    return { compatibilityLevel }
  })

  // Clients ask for the mode before they write. There is one, and nothing here changes it.
  app.get('/mode', async () => ({ mode: 'READWRITE' }))
  app.get<OfSubject>('/mode/:subject', async () => ({ mode: 'READWRITE' }))
}

const readLevel = (body: unknown): CompatibilityLevel => {
  const level = parseLevel(readBody(body).compatibility)
  if (level === undefined) throw invalidCompatibilityLevel()
  return level
}
