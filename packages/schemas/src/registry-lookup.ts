import confluent from '@kafkajs/confluent-schema-registry'
import type avro from 'avsc'
import { NotAvroError } from './codec-errors.ts'
import { isMissing, numberOf, SCHEMA_NOT_FOUND, SUBJECT_NOT_FOUND, textOf } from './registry-answer.ts'
import type { AskRegistry } from './registry-http.ts'
import type { SchemaRegistry } from './schema-registry.ts'

type LibraryOptions = ConstructorParameters<typeof confluent.SchemaRegistry>[0]
type Middleware = NonNullable<LibraryOptions['middlewares']>[number]
type LibraryResponse = Awaited<ReturnType<NonNullable<ReturnType<Middleware>['response']>>>

/**
 * What services ask at run time, through `@kafkajs/confluent-schema-registry`. The address, the credentials and the
 * deadline are those of `ask`.
 */
export function createRegistryLookup(ask: AskRegistry): SchemaRegistry {
  const library = new confluent.SchemaRegistry({ host: '', middlewares: [sendWith(ask)] })

  return {
    schemaById: (id) => unlessMissing(async () => avroTextOf(id, await library.getSchema(id))).catch(unparsable(id)),
    idOfSchema: (subject, schema) =>
      unlessMissing(() =>
        library.getRegistryIdBySchema(subject, { type: confluent.SchemaType.AVRO, schema: JSON.stringify(schema) }),
      ),
  }
}

/**
 * Sends the request that the library has prepared, in place of its own transport. A middleware given to the library
 * wraps its error middleware, so around that transport it would get an error without `error_code` and Retry-After:
 * an unknown id could not be told from a proxy's 404. Nor would some calls ever end: a body that breaks off leaves
 * the transport waiting, and so does an error whose body is `null`, with an unhandled rejection besides.
 */
const sendWith =
  (ask: AskRegistry): Middleware =>
  ({ resourceMethod }) => ({
    async response(_next, _renew, request) {
      // The library's encoder has made JSON of the body by now.
      const answer = await ask(request.method().toUpperCase(), request.path(), request.body() as string | undefined)
      if (isMissing(answer, SUBJECT_NOT_FOUND, SCHEMA_NOT_FOUND)) throw new MissingFromRegistry()
      if (resourceMethod === 'registered') numberOf(answer, 'id')
      else textOf(answer, 'schema')
      return { data: () => answer.body } as LibraryResponse
    },
  })

/** Carries "it is not there" through the library, which knows only results and errors. */
class MissingFromRegistry extends Error {}

async function unlessMissing<T>(lookup: () => Promise<T>): Promise<T | undefined> {
  try {
    return await lookup()
  } catch (error) {
    if (error instanceof MissingFromRegistry) return undefined
    throw error
  }
}

function avroTextOf(id: number, schema: object): string {
  // For Protobuf and JSON Schema the library gives classes of its own, which have no such function.
  if (!('schema' in schema)) throw new NotAvroError(id, 'it is of another kind')
  return JSON.stringify((schema as avro.Type).schema({ exportAttrs: true }))
}

/** The library's name for a schema that it cannot parse. It does not export the class. */
const UNPARSABLE = 'ConfluentSchemaRegistryArgumentError'

const unparsable =
  (id: number) =>
  (error: Error): never => {
    throw error.name === UNPARSABLE ? new NotAvroError(id, error.message, { cause: error }) : error
  }
