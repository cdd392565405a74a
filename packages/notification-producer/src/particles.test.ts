import { describe, expect, it } from 'vitest'
import { withObjectParticle, withSubjectParticle } from './particles.ts'

describe('withSubjectParticle', () => {
  it.each([
    ['운동화', '운동화가'],
    ['가방', '가방이'],
    ['연필', '연필이'],
    ['운동화'.normalize('NFD'), `${'운동화'.normalize('NFD')}가`],
    ['가방'.normalize('NFD'), `${'가방'.normalize('NFD')}이`],
  ])('follows the last syllable: %s', (name, expected) => {
    expect(withSubjectParticle(name)).toBe(expected)
  })

  it.each([
    ['의자 0', '이'],
    ['의자 1', '이'],
    ['의자 2', '가'],
    ['의자 3', '이'],
    ['의자 4', '가'],
    ['의자 5', '가'],
    ['의자 6', '이'],
    ['의자 7', '이'],
    ['의자 8', '이'],
    ['의자 9', '가'],
    ['에어맥스 90', '이'],
    ['향수 No.100', '이'],
  ])('reads digits in Korean: %s', (name, particle) => {
    expect(withSubjectParticle(name)).toBe(`${name}${particle}`)
  })

  it.each([
    ['운동화 (블랙)', '이'],
    ['운동화 [네이비]', '가'],
    ['"가방"', '이'],
    ['가방!!! 🎒', '이'],
    ['가방 ™', '이'],
    ['콜라겐 100%', '가'],
    ['갤럭시 S24+', '가'],
  ])('does not read brackets, quotes and emoji, but reads signs that have a name: %s', (name, particle) => {
    expect(withSubjectParticle(name)).toBe(`${name}${particle}`)
  })

  it.each([
    ['삼성 TV', '가'],
    ['노트북 LG', '가'],
    ['모니터 HDR', '이'],
    ['램 RAM', '이'],
    ['USB', '가'],
  ])('spells out acronyms: %s', (name, particle) => {
    expect(withSubjectParticle(name)).toBe(`${name}${particle}`)
  })

  it.each([
    'iPhone',
    'Nike',
    'SAMSUNG',
    '셔츠 XL',
    '셔츠 XXL',
    '생수 2L',
    '쌀 10kg',
    '콜라 500ML',
    '靴',
    '🎒',
    '...',
    '',
  ])('leaves both open where the sound is not known: %s', (name) => {
    expect(withSubjectParticle(name)).toBe(`${name}이(가)`)
  })
})

describe('withObjectParticle', () => {
  it.each([
    ['운동화', '를'],
    ['가방', '을'],
    ['가방'.normalize('NFD'), '을'],
    ['의자 3', '을'],
    ['의자 2', '를'],
    ['운동화 (블랙)', '을'],
    ['콜라겐 100%', '를'],
    ['삼성 TV', '를'],
    ['램 RAM', '을'],
    ['iPhone', '을(를)'],
    ['셔츠 XL', '을(를)'],
    ['', '을(를)'],
  ])('follows the last sound by the same rules: %s', (name, particle) => {
    expect(withObjectParticle(name)).toBe(`${name}${particle}`)
  })
})
