import { DropbellError } from '@dropbell/shared/errors'
import type { Offer } from './judge-offer.ts'
import type { ReadProductIndex } from './product-index.ts'
import type { ProductState, ProductStates } from './product-state.ts'

export interface KnownStatesDeps {
  readProductStates: ProductStates['readProductStates']
  readProductIndex: ReadProductIndex
  /** The index could not be asked: what only it would have known is unknown for now. */
  onIndexFailure(error: DropbellError): void
}

export interface AskedOffer {
  readonly productId: string
  readonly type: Offer['type']
}

/**
 * The states that offers are judged by. What events have told comes first; where they are silent about what an offer is
 * about, the index is asked. Fails without Redis: a newer price may be there.
 */
export const createReadKnownStates =
  ({ readProductStates, readProductIndex, onIndexFailure }: KnownStatesDeps) =>
  async (offers: readonly AskedOffer[]): Promise<Map<string, ProductState>> => {
    const states = await readProductStates(offers.map(({ productId }) => productId))
    const silent = offers.filter(({ productId, type }) => {
      const { price, stock } = states.get(productId) ?? {}
      return type === 'PRICE_DROP' ? price === undefined : stock === undefined
    })
    if (silent.length === 0) return states
    try {
      const indexed = await readProductIndex([...new Set(silent.map(({ productId }) => productId))])
      for (const [productId, state] of indexed) states.set(productId, { ...state, ...states.get(productId) })
    } catch (error) {
      if (!(error instanceof DropbellError)) throw error
      onIndexFailure(error)
    }
    return states
  }

export type ReadKnownStates = ReturnType<typeof createReadKnownStates>
