import type { TestProject } from 'vitest/node'
import { startIsolatedStack } from '../isolated-stack.ts'
import type { Stack } from '../stack.ts'
import type { TestEnv } from './test-env.ts'

/** Each vitest project loads this file for itself; the stack they share hangs on the process. */
const shared = globalThis as { dropbellTestStack?: { starting: Promise<Stack>; users: number } }

/** One stack for the whole run, never the developer's. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  shared.dropbellTestStack ??= { starting: startIsolatedStack(), users: 0 }
  const { dropbellTestStack } = shared
  dropbellTestStack.users++
  const stack = await dropbellTestStack.starting
  project.provide('stackEnv', stack.env() as unknown as TestEnv)
  return async () => {
    if (--dropbellTestStack.users === 0) await stack.reset()
  }
}
