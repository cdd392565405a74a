import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

export interface OperationsRequest {
  /** By the names that begin with a colon in the path. */
  readonly params: Readonly<Record<string, string>>
  /** JSON, or undefined where there was none. To be validated. */
  readonly body: unknown
}

export interface OperationsAnswer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Something an operator may ask of a service or tell it to do, on its operations port. */
export interface OperationsRoute {
  readonly method: 'GET' | 'POST'
  /** E.g. `/jobs/:id`. */
  readonly path: string
  /** Whoever asks presents it as `Authorization: Bearer …`. */
  readonly token: string
  handle(request: OperationsRequest): Promise<OperationsAnswer>
}

export const addOperationsRoute = (app: FastifyInstance, { method, path, token, handle }: OperationsRoute): void => {
  app.route({
    method,
    url: path,
    // Before the body is read: a stranger's is not looked at.
    onRequest: async (request, reply) => {
      if (presents(request.headers.authorization, token)) return
      await reply.code(401).header('www-authenticate', 'Bearer').send({ status: 'unauthorized' })
    },
    handler: async (request, reply) => {
      const params = request.params as Record<string, string>
      const answer = await handle({ params, body: request.body ?? undefined })
      return reply
        .code(answer.status)
        .headers({ ...answer.headers })
        .send(answer.body)
    },
  })
}

/** In the same time whatever is presented: hashes are of one length. */
const presents = (authorization: string | undefined, token: string): boolean => {
  const [, presented] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? []
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
