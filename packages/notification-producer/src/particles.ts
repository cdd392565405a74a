import { josa } from 'es-hangul'

const syllable = /[가-힣]/
// 영 일 이 삼 사 오 육 칠 팔 구; ten, hundred and thousand end in a consonant as zero does.
const spokenDigits = ['영', '일', '이', '삼', '사', '오', '육', '칠', '팔', '구'] as const
// 엘, 엠, 엔, 알: all other letters end in a vowel.
const lettersWithFinalConsonant = 'LMNR'
const sizes = /^(?:X*[SL]|M|XX*)$/
const spokenSigns: Readonly<Record<string, string>> = { '%': '퍼센트', '+': '플러스' }

/**
 * The name with 이 or 가, whichever its last sound asks for: 가방이, 운동화가, 아이폰 15가. Brackets, quotes and emoji
 * are not spoken. How foreign words are spoken cannot be told from their letters; there it is 이(가), which is never wrong.
 */
export const withSubjectParticle = (name: string): string => withParticle(name, '이/가', '이(가)')

/** The name with 을 or 를, by the same rules: 가방을, 운동화를, iPhone을(를). */
export const withObjectParticle = (name: string): string => withParticle(name, '을/를', '을(를)')

const withParticle = (name: string, pair: '이/가' | '을/를', open: string): string => {
  const spoken = lastSpoken(name.normalize('NFC'))
  return spoken === undefined ? `${name}${open}` : `${name}${josa.pick(spoken, pair)}`
}

/** A syllable that ends as the name does when it is read aloud. */
const lastSpoken = (name: string): string | undefined => {
  const last = /[\p{L}\p{N}%+](?=[^\p{L}\p{N}%+]*$)/u.exec(name)
  if (last === null) return undefined
  const [character] = last
  if (syllable.test(character)) return character
  if (/\d/.test(character)) return spokenDigits[Number(character)]
  return spokenSigns[character] ?? lastOfAcronym(name.slice(0, last.index + 1))
}

/** Two or three capitals that stand alone are spelled out: TV, LG, USB. Sizes (XL) and units (2L, 500ML) are not. */
const lastOfAcronym = (name: string): string | undefined => {
  const word = /(?<![\p{L}\p{N}])[A-Z]{2,3}$/u.exec(name)?.[0]
  if (word === undefined || sizes.test(word)) return undefined
  return lettersWithFinalConsonant.includes(word.slice(-1)) ? '엘' : '이'
}
