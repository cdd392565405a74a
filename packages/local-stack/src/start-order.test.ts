import { describe, expect, it } from 'vitest'
import { inStartOrder, inStopOrder } from './start-order.ts'

const runner = (name: string, ...dependsOn: string[]) => ({ engine: { name, dependsOn } })
const names = (runners: Array<{ engine: { name: string } }>) => runners.map(({ engine }) => engine.name)

describe('start order', () => {
  const runners = [runner('gateway', 'registry'), runner('registry', 'kafka'), runner('kafka'), runner('redis')]

  it('puts dependencies before dependents, however they are listed', () => {
    expect(names(inStartOrder(runners))).toEqual(['kafka', 'redis', 'registry', 'gateway'])
  })

  it('ends dependents before what they depend on', () => {
    expect(inStopOrder(runners).map(names)).toEqual([['gateway'], ['registry'], ['kafka', 'redis']])
  })

  it('refuses engines that wait for each other', () => {
    expect(() => inStartOrder([runner('a', 'b'), runner('b', 'a')])).toThrow('a, b')
  })
})
