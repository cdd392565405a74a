import type { TestProject } from 'vitest/node'
import { startIsolatedStack } from '../isolated-stack.ts'
import type { TestEnv } from './test-env.ts'

/** One stack for the whole run, never the developer's. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startIsolatedStack()
  project.provide('stackEnv', stack.env() as unknown as TestEnv)
  return () => stack.reset()
}
