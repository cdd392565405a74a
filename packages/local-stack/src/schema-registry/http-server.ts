import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type RouteOptions } from 'fastify'
import { compatibilityRoutes } from './compatibility-routes.ts'
import { configRoutes } from './config-routes.ts'
import { malformedRequest, RegistryError } from './errors.ts'
import type { RouteDeps } from './route-deps.ts'
import { schemaRoutes } from './schema-routes.ts'
import { subjectRoutes } from './subject-routes.ts'

const JSON_V1 = 'application/vnd.schemaregistry.v1+json'
/** Confluent's registry takes the last one too, for clients that cannot set a content type. */
const ACCEPTED = [JSON_V1, 'application/vnd.schemaregistry+json', 'application/json', 'application/octet-stream']
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] as const
const BODY_LIMIT_BYTES = 1024 * 1024

export const createHttpServer = (deps: RouteDeps, onError: (error: Error) => void): FastifyInstance => {
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    // A subject is a topic name and a suffix, percent-encoded; the default of 100 characters is too short for that.
    routerOptions: { maxParamLength: 2_000 },
    // A write that is under way is answered before the process goes.
    forceCloseConnections: 'idle',
  })
  acceptJson(app)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('content-type', JSON_V1)
  })
  app.setErrorHandler((error: FastifyError | RegistryError, _request, reply) => answerError(error, reply, onError))
  app.setNotFoundHandler((_request, reply) => sendError(reply, 404, 404, 'HTTP 404 Not Found'))

  const routes = collectRoutes(app)
  app.get('/', async () => ({}))
  subjectRoutes(app, deps)
  schemaRoutes(app, deps)
  configRoutes(app, deps)
  compatibilityRoutes(app, deps)
  refuseOtherMethods(app, routes)
  return app
}

const acceptJson = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(ACCEPTED, { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(String(body)))
    } catch (cause) {
      done(malformedRequest(`Malformed JSON in the request body: ${cause instanceof Error ? cause.message : cause}`))
    }
  })
}

const answerError = (error: FastifyError | RegistryError, reply: FastifyReply, onError: (error: Error) => void) => {
  if (error instanceof RegistryError) return sendError(reply, error.status, error.code, error.message)
  const status = error.statusCode ?? 500
  if (status < 500) return sendError(reply, status, status, error.message)
  onError(error)
  return sendError(reply, 500, 500, 'Internal Server Error')
}

const sendError = (reply: FastifyReply, status: number, code: number, message: string) =>
  reply.code(status).send({ error_code: code, message })

const collectRoutes = (app: FastifyInstance): Map<string, Set<string>> => {
  const routes = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }: RouteOptions) => {
    const methods = routes.get(url) ?? new Set<string>()
    for (const name of [method].flat()) methods.add(name)
    routes.set(url, methods)
  })
  return routes
}

/** A path that exists answers 405 to what it does not do, not 404. */
const refuseOtherMethods = (app: FastifyInstance, routes: Map<string, Set<string>>) => {
  for (const [url, known] of [...routes]) {
    const method = METHODS.filter((name) => !known.has(name))
    app.route({
      method,
      url,
      handler: async (_request, reply) => sendError(reply, 405, 405, 'HTTP 405 Method Not Allowed'),
    })
  }
}
