const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A point in time, or how long ago; undefined if it is neither. */
export const parseMoment = (text: string, now: number): number | undefined => {
  const ago = /^(\d{1,9})([smhd])$/.exec(text)
  if (ago !== null) return now - Number(ago[1]) * (unitsMs[ago[2] as string] as number)
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(moment) ? undefined : moment
}
