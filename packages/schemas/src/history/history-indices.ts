import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import { type Client, errors } from '@elastic/elasticsearch'
import { historyIndexOf } from './history-month.ts'
import { historyTemplate } from './history-template.ts'

/**
 * Puts the template in place and makes the index of this month, so that the history can be searched before it has
 * anything to tell. Indices that exist learn of fields that are new. Can be repeated, and done by several at once.
 */
export const applyHistoryIndices = (client: Client, alias: string, now: number = Date.now()): Promise<void> =>
  ask(async () => {
    await refuseIndexInPlaceOfAlias(client, alias)
    const template = historyTemplate(alias)
    await client.indices.putIndexTemplate(template)
    await createHistoryIndex(client, alias, historyIndexOf(alias, now))
    await client.indices.putMapping({ index: alias, ...template.template.mappings })
  })

/** Without the template Elasticsearch would make indices of any shape, and outside the alias. */
export const assertHistoryTemplate = (client: Client, alias: string): Promise<void> =>
  ask(async () => {
    const { name } = historyTemplate(alias)
    const answer = await unlessMissing(client.indices.getIndexTemplate({ name }))
    const found = answer?.index_templates[0]?.index_template.template
    if (found?.aliases?.[alias] !== undefined && found.mappings?.dynamic === 'strict') return
    throw forOperator(
      'HISTORY_TEMPLATE_MISSING',
      `Elasticsearch has no template ${name} for indices behind the alias ${alias}: run \`dropbell indices apply\``,
    )
  })

/**
 * Made by the template, which whoever operates the cluster may have changed; never by a write, which would make an
 * index of any shape if the template were gone. Two may do this at once.
 */
export const createHistoryIndex = (client: Client, alias: string, index: string): Promise<void> =>
  ask(async () => {
    const isBehindAlias = () => client.indices.existsAlias({ index, name: alias })
    if (await isBehindAlias()) return
    await assertHistoryTemplate(client, alias)
    await createIndex(client, index)
    if (await isBehindAlias()) return
    throw forOperator(
      'HISTORY_INDEX_OUTSIDE_ALIAS',
      `The index ${index} is not behind the alias ${alias}: delete it, or add it to the alias if its layout is that of the others`,
    )
  })

const createIndex = async (client: Client, index: string): Promise<void> => {
  try {
    await client.indices.create({ index })
  } catch (error) {
    const cause = error instanceof errors.ResponseError && error.statusCode === 400 ? error : undefined
    if (cause?.body?.error?.type === 'resource_already_exists_exception') return
    // Such as too many shards in the cluster, or an index with the alias's name: no record is to blame.
    if (cause) throw forOperator('HISTORY_INDEX_REFUSED', `The index ${index} cannot be made: ${cause.message}`, cause)
    throw error
  }
}

const forOperator = (code: string, message: string, cause?: unknown): TransientError =>
  new TransientError(code, message, { cause, dependency: 'elasticsearch' })

const refuseIndexInPlaceOfAlias = async (client: Client, alias: string): Promise<void> => {
  const found = await unlessMissing(client.indices.get({ index: alias, features: 'aliases' }))
  if (found?.[alias] === undefined) return
  throw new PermanentError(
    'HISTORY_ALIAS_TAKEN',
    `${alias} is an index and has to be an alias: reindex it as ${alias}-<year>.<month> and delete it, or set NOTIFICATION_HISTORY_INDEX`,
  )
}

const unlessMissing = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 404) return undefined
    throw error
  }
}

const ask = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    throw classifyElasticsearchError(error)
  }
}
