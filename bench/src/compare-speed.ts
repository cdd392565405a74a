export interface Contest {
  readonly bare: () => unknown
  readonly ours: () => unknown
  /** How many operations one call of either makes. */
  readonly operations: number
}

export interface Speeds {
  readonly barePerSecond: number
  readonly oursPerSecond: number
}

const SLICES = 40
const SLICE_MS = 25

/** In short turns, the first mover changing, so that a machine that slows down slows both. */
export async function compareSpeed(contest: Contest): Promise<Speeds> {
  const bare = { calls: 0, ms: 0 }
  const ours = { calls: 0, ms: 0 }
  await takeTurn(contest.bare, { calls: 0, ms: 0 })
  await takeTurn(contest.ours, { calls: 0, ms: 0 })
  for (let slice = 0; slice < SLICES; slice++) {
    if (slice % 2 === 0) await takeTurn(contest.bare, bare)
    await takeTurn(contest.ours, ours)
    if (slice % 2 === 1) await takeTurn(contest.bare, bare)
  }
  const perSecond = ({ calls, ms }: { calls: number; ms: number }) => (calls * contest.operations * 1_000) / ms
  return { barePerSecond: perSecond(bare), oursPerSecond: perSecond(ours) }
}

async function takeTurn(run: () => unknown, tally: { calls: number; ms: number }): Promise<void> {
  const start = performance.now()
  let elapsed = 0
  while (elapsed < SLICE_MS) {
    const pending = run()
    if (pending instanceof Promise) await pending
    tally.calls++
    elapsed = performance.now() - start
  }
  tally.ms += elapsed
}
