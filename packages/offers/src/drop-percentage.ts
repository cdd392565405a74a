interface Decimal {
  digits: bigint
  exponent: number
}

/**
 * By how many whole percent `current` is below `previous`, rounded down, exactly: both are taken as the decimals they
 * are written as, so that 79.9 to 71.91 is 10 and no rounding of binary fractions makes it 9.
 * Both are finite, and previous > 0.
 */
export const dropPercentage = (previous: number, current: number): number => {
  const [from, to] = [toDecimal(previous), toDecimal(current)]
  const exponent = Math.min(from.exponent, to.exponent)
  const [fromUnits, toUnits] = [inUnitsOf(from, exponent), inUnitsOf(to, exponent)]
  return Number(floorDivide(100n * (fromUnits - toUnits), fromUnits))
}

const toDecimal = (value: number): Decimal => {
  // Without an argument it has as many digits as it takes to name the number, and no more.
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const fraction = mantissa.split('.')[1] ?? ''
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - fraction.length }
}

const inUnitsOf = ({ digits, exponent }: Decimal, unit: number): bigint => digits * 10n ** BigInt(exponent - unit)

/** BigInt division cuts towards zero, which for a rise would be one percent too few. */
const floorDivide = (numerator: bigint, positive: bigint): bigint => {
  const quotient = numerator / positive
  return quotient * positive > numerator ? quotient - 1n : quotient
}
