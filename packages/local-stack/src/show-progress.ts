import { Listr } from 'listr2'
import type { EngineRunner } from './engine-runner.ts'
import type { Stack, StartedEngines } from './stack.ts'

interface Pending {
  task?: { title?: string | undefined }
  settle(error?: unknown): void
  settled: Promise<void>
}

const pending = (): Pending => {
  let settle: Pending['settle'] = () => {}
  const settled = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve())
  })
  return { settled, settle }
}

/** Brings the stack up with a line per engine: live on a terminal, one after another elsewhere. */
export const upWithProgress = async (stack: Stack, signal?: AbortSignal): Promise<StartedEngines> => {
  const engines = new Map(stack.runners.map(({ engine }) => [engine.name, pending()]))
  const list = new Listr<unknown, 'default', 'simple'>([], {
    concurrent: true,
    exitOnError: false,
    registerSignalListeners: false,
    fallbackRenderer: 'simple',
    rendererOptions: { showErrorMessage: false },
  })
  for (const { engine } of stack.runners) {
    const line = engines.get(engine.name) as Pending
    list.add({
      title: engine.title,
      task: (_, task) => {
        line.task = task
        return line.settled
      },
    })
  }
  const shown = list.run()
  const retitle = (name: string, title: string): void => {
    const task = engines.get(name)?.task
    if (task && task.title !== title) task.title = title
  }
  try {
    return await stack.up({
      ...(signal ? { signal } : {}),
      onProgress: ({ engine, detail }) => retitle(engine.name, `${engine.title}: ${detail}`),
      onReady: (runner) => {
        retitle(runner.engine.name, describeReady(runner))
        engines.get(runner.engine.name)?.settle()
      },
    })
  } catch (error) {
    for (const { settle } of engines.values()) settle(error)
    throw error
  } finally {
    await shown
  }
}

export const describeReady = ({ engine, record }: EngineRunner): string => {
  const { version, ports, startUpMs = 0 } = record() ?? {}
  const moved = ports?.main === engine.ports.main ? '' : ` (${engine.ports.main} is taken)`
  return `${engine.title} ${version} on port ${ports?.main}${moved}, ready in ${(startUpMs / 1000).toFixed(1)} s`
}
