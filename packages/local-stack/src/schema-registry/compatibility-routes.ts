import type { FastifyInstance } from 'fastify'
import { flag, readSchemaRequest, readSubject, readVersion, type SubjectParams, type VersionParams } from './request.ts'
import type { RouteDeps } from './route-deps.ts'

type Query = Readonly<Record<string, string>>

export const compatibilityRoutes = (app: FastifyInstance, { registry }: RouteDeps) => {
  app.post<{ Params: SubjectParams; Querystring: Query }>(
    '/compatibility/subjects/:subject/versions',
    async ({ params, query, body }) =>
      answer(registry.judge(readSubject(params), undefined, readSchemaRequest(body)), query),
  )

  app.post<{ Params: VersionParams; Querystring: Query }>(
    '/compatibility/subjects/:subject/versions/:version',
    async ({ params, query, body }) => {
      const version = readVersion(params)
      return answer(registry.judge(readSubject(params), version, readSchemaRequest(body)), query)
    },
  )
}

const answer = (messages: readonly string[], query: Query) => ({
  is_compatible: messages.length === 0,
  ...(flag(query.verbose) && { messages }),
})
