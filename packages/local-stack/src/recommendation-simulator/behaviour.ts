import { z } from 'zod'

const timing = {
  /** Before whatever is done. */
  latencyMs: z.number().int().min(0).max(600_000).optional(),
  /** For so many requests; for all of them if left out. */
  times: z.number().int().min(1).optional(),
}

export const productSchema = z.strictObject({ productId: z.string(), productName: z.string(), score: z.number() })

/** What happens to a request. */
export const behaviourSchema = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('recommend'),
    /** As many of these as are asked for; made up if left out. */
    products: z.array(productSchema).optional(),
    strategy: z.string().optional(),
    ...timing,
  }),
  z.strictObject({ do: z.literal('answer'), status: z.number().int().min(200).max(599), body: z.string(), ...timing }),
  /** Cuts the connection. */
  z.strictObject({ do: z.literal('drop'), ...timing }),
  z.strictObject({ do: z.literal('silence'), ...timing }),
])

export type Behaviour = z.infer<typeof behaviourSchema>
export type SimulatedProduct = z.infer<typeof productSchema>
