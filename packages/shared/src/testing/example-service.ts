import { createServer } from 'node:net'
import { serviceConfig } from '../config/service.ts'
import { defineConfig } from '../config.ts'
import { runService } from '../run-service.ts'

/** A whole process for run-service.test.ts: it keeps running because of its open socket. */
await runService({
  service: 'example',
  schema: defineConfig(serviceConfig),
  start: async ({ shutdown }) => {
    const server = createServer().listen(0, '127.0.0.1')
    shutdown.add('socket', () => new Promise((resolve) => server.close(resolve)))
    if (process.argv[2] === 'hangs-on-stop') shutdown.add('stuck', () => new Promise(() => {}))
    if (process.argv[2] === 'rejects-later') setTimeout(() => void Promise.reject(new Error('nobody cared')))
  },
})
