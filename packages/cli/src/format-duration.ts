const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const

/** In the largest unit that says it exactly. Kafka's -1 is for ever. */
export const formatDuration = (ms: number): string => {
  if (ms < 0) return 'for ever'
  const unit = units.find((candidate) => ms >= candidate.ms && ms % candidate.ms === 0)
  return unit === undefined ? `${ms} ms` : `${ms / unit.ms} ${unit.name}`
}
