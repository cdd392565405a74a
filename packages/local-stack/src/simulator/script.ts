/** What a behaviour of any simulator has. */
export interface Scripted {
  /** For so many messages; for all of them if left out. */
  readonly times?: number | undefined
}

/** What happens to messages from now on, in order; what is scripted for one recipient comes first. */
export interface Scripts<B extends Scripted> {
  set(behaviours: readonly B[], recipient?: string): void
  next(recipient: string): B
  /** What is next for all, without taking it. */
  peekForAll(): B | undefined
}

export const createScripts = <B extends Scripted>(byDefault: B): Scripts<B> => {
  const forOne = new Map<string, Script<B>>()
  let forAll: Script<B> | undefined
  return {
    set: (behaviours, recipient) => {
      if (recipient === undefined) forAll = createScript(behaviours)
      else forOne.set(recipient, createScript(behaviours))
    },
    next: (recipient) => forOne.get(recipient)?.next() ?? forAll?.next() ?? byDefault,
    peekForAll: () => forAll?.peek(),
  }
}

interface Script<B> {
  next(): B | undefined
  peek(): B | undefined
}

const createScript = <B extends Scripted>(behaviours: readonly B[]): Script<B> => {
  const steps = behaviours.map((behaviour) => ({ behaviour, left: behaviour.times ?? Number.POSITIVE_INFINITY }))
  const current = () => steps.find(({ left }) => left > 0)
  return {
    next: () => {
      const step = current()
      if (step) step.left--
      return step?.behaviour
    },
    peek: () => current()?.behaviour,
  }
}
