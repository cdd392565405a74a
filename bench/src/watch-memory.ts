import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceProcess } from '@dropbell/local-stack/service-process'

/** Of the whole process, four times a second. */
export function watchMemory(service: ServiceProcess) {
  let peak = 0
  let stopped = false
  const watching = (async () => {
    while (!stopped) {
      const [, bytes] = /^process_resident_memory_bytes\S* (\d+)/m.exec(await service.metrics()) ?? []
      peak = Math.max(peak, Number(bytes))
      await delay(250)
    }
  })()
  return {
    async peakMB() {
      stopped = true
      await watching
      return peak / 2 ** 20
    },
  }
}
