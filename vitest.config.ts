import { defineConfig } from 'vitest/config'

const sources = '{packages,services,bench,scripts}'

// With real engines on borrowed cores, that stand still for seconds at times. A test that needed its second try is named at the
// end; what fails twice is a failure. At home there is no second try.
const secondTry = process.env.CI ? { retry: 1 } : {}

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${sources}/**/*.test.ts`],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.int.test.ts'],
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [`${sources}/**/*.int.test.ts`],
          exclude: ['**/node_modules/**', '**/dist/**'],
          // Two at a time take two thirds as long on two cores, but then a registry did not always outlive an outage of its Kafka.
          fileParallelism: false,
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
          // Journeys bring stacks of their own, since they use the names that everyone knows; one at a time.
          include: ['e2e/src/**/*.e2e.test.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          ...secondTry,
        },
      },
    ],
  },
})
