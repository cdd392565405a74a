import type { FastifyInstance } from 'fastify'
import { schemaNotFound } from './errors.ts'
import type { StoredVersion } from './registry-store.ts'
import { flag } from './request.ts'
import type { RouteDeps } from './route-deps.ts'

type OfId = { Params: { readonly id: string }; Querystring: Readonly<Record<string, string>> }

export const schemaRoutes = (app: FastifyInstance, { store }: RouteDeps) => {
  const placesOf = ({ id }: OfId['Params'], deleted: boolean): [StoredVersion, ...StoredVersion[]] => {
    const number = /^\d+$/.test(id) ? Number(id) : undefined
    const [first, ...others] = number === undefined ? [] : store.withId(number, { deleted })
    if (first === undefined) throw schemaNotFound(number)
    return [first, ...others]
  }

  app.get('/schemas/types', async () => ['AVRO'])

  // A deleted schema is still served by its id: its bytes may be in Kafka for as long as the topics keep them.
  app.get<OfId>('/schemas/ids/:id', async ({ params }) => {
    const [{ schema, schemaType, references }] = placesOf(params, true)
    return {
      ...(schemaType !== undefined && { schemaType }),
      ...(references !== undefined && references.length > 0 && { references }),
      schema,
    }
  })

  app.get<OfId>('/schemas/ids/:id/schema', async ({ params }) => placesOf(params, true)[0].schema)

  app.get<OfId>('/schemas/ids/:id/subjects', async ({ params, query }) => [
    ...new Set(placesOf(params, flag(query.deleted)).map(({ subject }) => subject)),
  ])

  app.get<OfId>('/schemas/ids/:id/versions', async ({ params, query }) =>
    placesOf(params, flag(query.deleted)).map(({ subject, version }) => ({ subject, version })),
  )
}
