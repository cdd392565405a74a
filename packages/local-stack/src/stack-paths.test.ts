import { describe, expect, it } from 'vitest'
import { stackPaths } from './stack-paths.ts'

describe('stackPaths', () => {
  it('keeps the files of root where its unprivileged engines can read them', () => {
    const { cache, home } = stackPaths({ HOME: '/root' }, '/work', 0)
    expect(cache).toBe('/var/cache/dropbell')
    expect(home).toMatch(/^\/var\/lib\/dropbell\/stack-[0-9a-f]{8}$/)
  })

  it('follows the XDG directories of everyone else', () => {
    const env = { HOME: '/home/mina', XDG_CACHE_HOME: '/scratch/cache' }
    const { cache, home } = stackPaths(env, '/work', 1000)
    expect(cache).toBe('/scratch/cache/dropbell')
    expect(home).toMatch(/^\/home\/mina\/.local\/state\/dropbell\/stack-/)
  })

  it('gives every checkout a stack of its own', () => {
    expect(stackPaths({}, '/a', 0).home).not.toBe(stackPaths({}, '/b', 0).home)
  })

  it('lets the environment decide', () => {
    const env = { DROPBELL_CACHE_DIR: '/c', DROPBELL_STACK_DIR: '/s' }
    expect(stackPaths(env, '/a', 0)).toEqual({ cache: '/c', home: '/s' })
  })
})
