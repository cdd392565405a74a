import type { Client } from '@elastic/elasticsearch'
import { createTargetResolver, type ResolveOptions, type TargetResolverOptions } from '../resolve-targets.ts'
import type { TargetTrigger } from '../target-query.ts'

export interface TestResolverOptions {
  client: Client
  index: string
  config?: Partial<TargetResolverOptions['config']>
}

/** A resolver as the service makes it, with what a test asks of it. */
export const createTestResolver = ({ client, index, config }: TestResolverOptions) => {
  const resolve = createTargetResolver({
    client,
    config: {
      USER_BEHAVIOR_INDEX: index,
      INTERESTED_USER_DAYS: 30,
      CART_USER_DAYS: 7,
      TARGET_USER_LIMIT: 1_000_000,
      TARGET_PAGE_SIZE: 10_000,
      ...config,
    },
  })
  const collect = async <T extends TargetTrigger>(triggers: readonly T[], options?: ResolveOptions) => {
    const pages = []
    for await (const page of resolve(triggers, options)) pages.push(page)
    return pages
  }
  /** All users of each trigger, sorted; a user who comes twice is there twice. */
  const usersOf = async <T extends TargetTrigger>(triggers: readonly T[]): Promise<string[][]> => {
    const pages = await collect(triggers)
    return triggers.map((trigger) =>
      pages
        .filter((page) => page.trigger === trigger)
        .flatMap(({ userIds }) => userIds)
        .sort(),
    )
  }
  return { resolve, collect, usersOf }
}
