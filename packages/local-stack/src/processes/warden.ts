import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/**
 * Engines must not outlive a run that dies before it can clean up, even by `kill -9`. The warden is a shell that holds
 * the reading end of a pipe to us. When we die the pipe closes, and it ends every process group that it was told of
 * and removes the directories of a stack nobody will come back to.
 */
const script = `
while read -r verb what; do
  case $verb in
    watch) watched="$watched $what" ;;
    forget) kept=; for pid in $watched; do [ "$pid" = "$what" ] || kept="$kept $pid"; done; watched=$kept ;;
    discard) discarded=$what ;;
    release) exit 0 ;;
  esac
done
for pid in $watched; do kill -KILL "-$pid" 2>/dev/null; done
[ -z "$discarded" ] || { sleep 1; rm -rf "$discarded"; }
`

export interface Warden {
  watch(pid: number): void
  forget(pid: number): void
  /** From now on the engines may outlive us. */
  release(): void
}

/** `discard`: a directory that goes as well if we die. The shell starts with the first process to watch. */
export const createWarden = (discard?: string): Warden => {
  let pipe: Writable | undefined

  const open = (): Writable => {
    const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    child.unref()
    const stdin = child.stdin as Socket
    stdin.unref() // an open pipe would keep our event loop alive
    if (discard) stdin.write(`discard ${discard}\n`)
    return stdin
  }
  return {
    watch: (pid) => {
      pipe ??= open()
      pipe.write(`watch ${pid}\n`)
    },
    forget: (pid) => pipe?.write(`forget ${pid}\n`),
    release: () => {
      pipe?.end('release\n')
      pipe = undefined
    },
  }
}
