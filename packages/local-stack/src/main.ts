import { Command, InvalidArgumentError } from 'commander'
import { printLogs } from './commands/logs.ts'
import { formatStatus, readStatus } from './commands/status.ts'
import { findEngineUser } from './processes/engine-user.ts'
import { upWithProgress } from './show-progress.ts'
import { openStack, type Stack } from './stack.ts'
import { stackPaths } from './stack-paths.ts'

const open = (): Promise<Stack> =>
  openStack({ ...stackPaths(process.env, process.cwd()), user: findEngineUser(process.env) })

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Ctrl-C calls the start-up off, and whatever it had started ends. */
const abortOnSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Error(`Called off by ${signal}: what this had started was ended`)))
  }
  return controller.signal
}

const program = new Command('stack')
  .description('The real engines of Dropbell on this machine, without Docker.')
  .addHelpText('after', '\nExample:\n  npx pnpm stack up && eval "$(npx pnpm --silent stack env)"')

program
  .command('up')
  .description('start the engines that do not run, and wait until they answer')
  .action(async () => {
    const stack = await open()
    await upWithProgress(stack, abortOnSignal())
    stack.release()
    print('\nThe stack is up. `npx pnpm stack env` prints its variables, `npx pnpm stack down` ends it.')
  })

program
  .command('down')
  .description('end the engines; their data stays')
  .action(async () => {
    const stack = await open()
    const running = await stack.down()
    print(running.length > 0 ? `Ended: ${running.join(', ')}. Their data is kept.` : 'Nothing was running.')
  })

program
  .command('status')
  .description('what runs, where, and whether it answers')
  .option('--json', 'for a program to read')
  .action(async ({ json }: { json?: boolean }) => {
    const rows = await readStatus(await open())
    print(json ? JSON.stringify(rows) : formatStatus(rows))
    if (rows.some(({ state }) => state !== 'ready')) process.exitCode = 1
  })

program
  .command('logs')
  .description('the end of the log of one engine or of all')
  .argument('[engine]')
  .option('-n, --lines <number>', 'how many lines', wholeNumber, 50)
  .option('-f, --follow', 'go on as the log grows')
  .action(async (engine: string | undefined, { lines, follow }: { lines: number; follow?: boolean }) =>
    printLogs(await open(), engine, lines, follow ?? false),
  )

program
  .command('reset')
  .description('end the engines and delete all their data')
  .action(async () => {
    await (await open()).reset()
    print('The engines are down and their data is gone.')
  })

program
  .command('env')
  .description('the variables by which clients find the engines, for a shell to eval')
  .action(async () => {
    const stack = await open()
    const down = stack.runners.filter(({ isRunning }) => !isRunning()).map(({ engine }) => engine.title)
    if (down.length > 0) throw new Error(`${down.join(', ')}: not running. Start the stack first: npx pnpm stack up`)
    for (const [name, value] of Object.entries(stack.env())) print(`export ${name}='${value}'`)
  })

program.parseAsync().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
