/** One round's numbers, by name. A ratio compares ours to something else in the same round; above 1 ours is faster. */
export interface Sample {
  readonly ratios: Readonly<Record<string, number>>
  readonly figures: Readonly<Record<string, number>>
}

export interface RunningBench {
  round(): Promise<Sample>
  stop(): Promise<void>
}

/** What a number should reach, or stay below. */
export type Expected = { readonly atLeast: number } | { readonly atMost: number }

/** For what takes long: what is going on. */
export type Say = (text: string) => void

export interface Bench {
  readonly name: string
  /** What is compared with what, in a sentence or two. */
  readonly compares: string
  /** By the names of ratios and figures. */
  readonly expected: Readonly<Record<string, Expected>>
  start(say: Say): Promise<RunningBench>
}
