type Fault<Name extends string> = (name: Name, problem: string, expected: string) => void

const isMissing = 'is missing'

/** A user without a password, or a password without a user, is half a setting. */
export const checkPair = <A extends string, B extends string>(
  values: Partial<Record<A | B, unknown>>,
  fault: Fault<A | B>,
  first: A,
  second: B,
): void => {
  if (values[first] !== undefined && values[second] === undefined)
    fault(second, isMissing, `a value, since ${first} is set`)
  if (values[second] !== undefined && values[first] === undefined)
    fault(first, isMissing, `a value, since ${second} is set`)
}

/** Which of two places would win is nobody's guess: refuse credentials in both. */
export const checkNotInUrl = <U extends string, N extends string>(
  values: Partial<Record<U | N, unknown>>,
  fault: Fault<N>,
  urlName: U,
  names: readonly N[],
): void => {
  const url = values[urlName]
  if (typeof url !== 'string' || !hasCredentials(url)) return
  for (const name of names) {
    if (values[name] !== undefined) fault(name, 'is set', `nothing, since ${urlName} holds credentials already`)
  }
}

const hasCredentials = (url: string): boolean => {
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}

/** A CA that is not used would give a false feeling of safety. */
export const checkCaFile = <N extends string>(
  values: Partial<Record<N, unknown>>,
  fault: Fault<N>,
  name: N,
  { used, condition }: { used: boolean; condition: string },
): void => {
  if (values[name] !== undefined && !used) fault(name, 'is set', `nothing, unless ${condition}`)
}
