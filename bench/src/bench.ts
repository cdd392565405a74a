/** One round's numbers, by name. A ratio compares ours to something else in the same round; above 1 ours is faster. */
export interface Sample {
  readonly ratios: Readonly<Record<string, number>>
  readonly figures: Readonly<Record<string, number>>
}

export interface RunningBench {
  round(): Promise<Sample>
  stop(): Promise<void>
}

export interface Bench {
  readonly name: string
  /** What is compared with what, in a sentence or two. */
  readonly compares: string
  /** What a ratio should reach. */
  readonly expectedRatios: Readonly<Record<string, number>>
  start(): Promise<RunningBench>
}
