const SMALLEST_NORMAL_FLOAT32 = 2 ** -126
const MOST_DIGITS_NEEDED = 9

/**
 * The shortest decimal that still names the same float32: 79.9 for what the wire carries as 79.9000015.
 * Two prices that a person would write alike become equal numbers, and writing the result back gives the same bytes.
 */
export function toShortestFloat32(value: number): number {
  const float = Math.fround(value)
  const size = Math.abs(float)

  // What prices look like. Below 10,000 two decimals make six digits at most, and of all decimals with six digits
  // only one names a given float32: if this one does, it is the shortest.
  if (size < 10_000) {
    const cents = Math.round(float * 100) / 100
    if (Math.fround(cents) === float) return cents + 0
  }
  // As long as float32 has every whole number, no other decimal is as short.
  if (size < 2 ** 24 && Math.trunc(float) === float) return float
  return Number.isFinite(float) ? searchShortest(float, size) : float
}

function searchShortest(float: number, size: number): number {
  // Six digits always come back unharmed, except where float32 itself has fewer: the search need not begin earlier.
  for (let digits = size < SMALLEST_NORMAL_FLOAT32 ? 1 : 6; digits < MOST_DIGITS_NEEDED; digits++) {
    const [mantissa = '', exponent = ''] = float.toExponential(digits - 1).split('e')
    const nearest = Number(mantissa.replace('.', ''))
    // At a power of two the next float32 outwards is twice as far as the one inwards, so that a decimal a little
    // further out can fit where the nearest does not.
    for (const candidate of [nearest, nearest + Math.sign(nearest)]) {
      const decimal = Number(`${candidate}e${Number(exponent) - digits + 1}`)
      if (Math.fround(decimal) === float) return decimal
    }
  }
  return Number(float.toPrecision(MOST_DIGITS_NEEDED))
}
