import { InvalidArgumentError } from 'commander'

/** For `argParser`. */
export const wholeNumber =
  (min: number, max: number) =>
  (value: string): number => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
