import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const sources = '{packages,services,bench,scripts}'

// With real engines on borrowed cores, that stand still for seconds at times. A test that needed its second try is named at the
// end; what fails twice is a failure. At home there is no second try.
const secondTry = process.env.CI ? { retry: 1 } : {}

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    // Most of a test with engines is waiting, so that two go well on two cores. Each may bring a stack of its own: no more than four.
    maxWorkers: Math.min(4, Math.max(2, Math.floor(availableParallelism() / 2))),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${sources}/**/*.test.ts`],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.int.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [`${sources}/**/*.int.test.ts`],
          exclude: ['**/node_modules/**', '**/dist/**'],
          globalSetup: ['packages/local-stack/src/testing/test-stack.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          ...secondTry,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          // Journeys bring stacks of their own, since they use the names that everyone knows.
          include: ['e2e/src/**/*.e2e.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          ...secondTry,
        },
      },
    ],
  },
})
