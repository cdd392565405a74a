import type { FastifyInstance } from 'fastify'
import { subjectNotFound } from './errors.ts'
import type { LookupOptions, StoredVersion } from './registry-store.ts'
import { flag, readSchemaRequest, readSubject, readVersion, type SubjectParams, type VersionParams } from './request.ts'
import type { RouteDeps } from './route-deps.ts'

type Query = Readonly<Record<string, string>>
type OfSubject = { Params: SubjectParams; Querystring: Query }
type OfVersion = { Params: VersionParams; Querystring: Query }

export const subjectRoutes = (app: FastifyInstance, { registry, store }: RouteDeps) => {
  const visible = (query: Query): LookupOptions => ({ deleted: flag(query.deleted) || flag(query.deletedOnly) })

  app.get<{ Querystring: Query }>('/subjects', async ({ query }) =>
    store
      .subjects(visible(query))
      .filter((subject) => subject.startsWith(query.subjectPrefix ?? ''))
      .filter((subject) => !flag(query.deletedOnly) || store.versionsOf(subject).length === 0),
  )

  app.post<OfSubject>('/subjects/:subject', async ({ params, query, body }) =>
    describeVersion(registry.lookup(readSubject(params), readSchemaRequest(body), visible(query))),
  )

  app.delete<OfSubject>('/subjects/:subject', async ({ params, query }) =>
    registry.deleteSubject(readSubject(params), flag(query.permanent)),
  )

  app.get<OfSubject>('/subjects/:subject/versions', async ({ params, query }) => {
    const subject = readSubject(params)
    const versions = store.versionsOf(subject, visible(query))
    if (versions.length === 0) throw subjectNotFound(subject)
    return versions.filter(({ deleted }) => deleted || !flag(query.deletedOnly)).map(({ version }) => version)
  })

  app.post<OfSubject>('/subjects/:subject/versions', async ({ params, body }) => ({
    id: await registry.register(readSubject(params), readSchemaRequest(body)),
  }))

  app.get<OfVersion>('/subjects/:subject/versions/:version', async ({ params, query }) =>
    describeVersion(registry.findVersion(readSubject(params), readVersion(params), visible(query))),
  )

  app.get<OfVersion>('/subjects/:subject/versions/:version/schema', async ({ params, query }) => {
    return registry.findVersion(readSubject(params), readVersion(params), visible(query)).schema
  })

  app.get<OfVersion>('/subjects/:subject/versions/:version/referencedby', async ({ params }) => {
    registry.findVersion(readSubject(params), readVersion(params), { deleted: true })
    // References are refused at registration, so nothing refers to anything.
    return []
  })

  app.delete<OfVersion>('/subjects/:subject/versions/:version', async ({ params, query }) =>
    registry.deleteVersion(readSubject(params), readVersion(params), flag(query.permanent)),
  )
}

const describeVersion = ({ subject, version, id, schemaType, references, schema, deleted }: StoredVersion) => ({
  subject,
  version,
  id,
  ...(schemaType !== undefined && { schemaType }),
  ...(references !== undefined && references.length > 0 && { references }),
  schema,
  ...(deleted && { deleted }),
})
