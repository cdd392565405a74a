import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { choosePort, isFree } from './ports.ts'

const open: Server[] = []

const occupy = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      open.push(server)
      resolve((server.address() as { port: number }).port)
    })
  })

afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

describe('choosePort', () => {
  it('takes the preferred port when nobody has it', async () => {
    const port = await choosePort(29_991, 'preferred', new Set())
    expect(port).toBe(29_991)
  })

  it('takes another, free one when the preferred port is taken by a process', async () => {
    const taken = await occupy()
    const port = await choosePort(taken, 'preferred', new Set())
    expect(port).not.toBe(taken)
    expect(await isFree(port)).toBe(true)
  })

  it('takes another one when the preferred port is promised to another engine', async () => {
    expect(await choosePort(29_992, 'preferred', new Set([29_992]))).not.toBe(29_992)
  })

  it('gives no two stacks the same port while neither has bound it yet', async () => {
    const ports = await Promise.all(Array.from({ length: 100 }, () => choosePort(9092, 'free', new Set())))
    expect(new Set(ports).size).toBe(100)
  })

  it('leaves the preferred port alone for a stack beside a running one', async () => {
    expect(await choosePort(9092, 'free', new Set())).not.toBe(9092)
  })
})
