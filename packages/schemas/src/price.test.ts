import { describe, expect, it } from 'vitest'
import { toShortestFloat32 } from './price.ts'

/** Every decimal of at most nine digits that names the float, found the slow way: the shortest one, then the nearest. */
function searchShortest(float: number): number {
  for (let digits = 1; digits <= 9; digits++) {
    const nearest = Number(
      float
        .toExponential(digits - 1)
        .split('e')[0]
        ?.replace('.', ''),
    )
    const scale = exponentOf(float, digits)
    for (const candidate of [nearest, nearest - 1, nearest + 1]) {
      const decimal = Number(`${candidate}e${scale}`)
      if (Math.fround(decimal) === float) return decimal
    }
  }
  throw new Error(`nothing of nine digits names ${float}`)
}

const exponentOf = (float: number, digits: number): number =>
  Number(float.toExponential(digits - 1).split('e')[1]) - (digits - 1)

/** A fixed sequence, so that a failure can be repeated. */
function* randoms(count: number): Generator<number> {
  let state = 0x2545f491
  for (let index = 0; index < count; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state
  }
}

const floatOfBits = (bits: number): number => new Float32Array(Uint32Array.of(bits).buffer)[0] as number

describe('the shortest decimal of a float32', () => {
  it('is what a person would have written', () => {
    for (const price of [79.9, 0.1, 19.99, 129_000, 1_234.56, 16_777_216, 99_999.9, 0.07, 3.3e38, 1e-40]) {
      expect(toShortestFloat32(Math.fround(price))).toBe(price)
      expect(toShortestFloat32(price)).toBe(price)
      expect(toShortestFloat32(-price)).toBe(-price)
    }
  })

  it('recovers every price of up to six digits', () => {
    for (const random of randoms(50_000)) {
      const price = (random % 1_000_000) / 10 ** (random % 5)
      expect(toShortestFloat32(Math.fround(price))).toBe(price)
    }
  })

  it('names the same float32 and has no shorter equal, whatever the bits', () => {
    // Around powers of two the neighbours are at different distances, which is where a search goes wrong.
    const powersOfTwo = Array.from({ length: 254 }, (_, exponent) => (exponent + 1) << 23)
    for (const bits of [...powersOfTwo, ...randoms(50_000)]) {
      const float = floatOfBits(bits)
      if (!Number.isFinite(float) || float === 0) continue
      const decimal = toShortestFloat32(float)
      if (Math.fround(decimal) !== float || decimal !== searchShortest(float)) {
        expect({ bits, decimal }).toEqual({ bits, decimal: searchShortest(float) })
      }
    }
  })

  it('leaves what is no finite number alone, and has one zero', () => {
    expect(toShortestFloat32(Number.NaN)).toBeNaN()
    expect(toShortestFloat32(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
    expect(toShortestFloat32(1e39)).toBe(Number.POSITIVE_INFINITY)
    expect(toShortestFloat32(-0)).toBe(0)
  })
})
