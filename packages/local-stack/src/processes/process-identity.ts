import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A process id alone may be reused by a stranger; together with the start time it names one process. */
export interface ProcessIdentity {
  pid: number
  startedAt: string
}

interface ProcessRow {
  pid: number
  parent: number
  startedAt: string
}

export const identify = (pid: number): ProcessIdentity | undefined => {
  const row = readRow(pid)
  return row && { pid, startedAt: row.startedAt }
}

export const isAlive = ({ pid, startedAt }: ProcessIdentity): boolean => readRow(pid)?.startedAt === startedAt

/** The process and all its descendants, parents first. */
export const processTree = (root: number): ProcessIdentity[] => {
  const rows = allRows()
  const tree: ProcessRow[] = rows.filter(({ pid }) => pid === root)
  for (const known of tree) tree.push(...rows.filter(({ parent }) => parent === known.pid))
  return tree.map(({ pid, startedAt }) => ({ pid, startedAt }))
}

export const residentBytes = (root: number): number =>
  processTree(root).reduce((sum, { pid }) => sum + residentBytesOf(pid), 0)

const hasProc = process.platform === 'linux'

const readRow = (pid: number): ProcessRow | undefined =>
  hasProc ? readProcStat(pid) : psRows(['-p', String(pid)]).find((row) => row.pid === pid)

const allRows = (): ProcessRow[] =>
  hasProc
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name) => readProcStat(Number(name)) ?? [])
    : psRows(['-A'])

/**
 * The fields of /proc/<pid>/stat after the parenthesised command: state, parent, …, threads as the 18th, start time as
 * the 20th. A zombie that still has threads is a process on its way out, not a dead one.
 */
const readProcStat = (pid: number): ProcessRow | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent] = fields
    const isDead = state === 'Z' && Number(fields[17]) <= 1
    return isDead ? undefined : { pid, parent: Number(parent), startedAt: fields[19] ?? '' }
  } catch {
    return undefined // it ended while we looked
  }
}

const psRows = (selection: string[]): ProcessRow[] => {
  try {
    return execFileSync('ps', [...selection, '-o', 'pid=,ppid=,stat=,lstart='], { encoding: 'utf8' })
      .split('\n')
      .flatMap((line) => {
        const [pid, parent, state, ...start] = line.trim().split(/\s+/)
        return !pid || state?.startsWith('Z')
          ? []
          : { pid: Number(pid), parent: Number(parent), startedAt: start.join(' ') }
      })
  } catch {
    return [] // ps exits with 1 when nothing matches
  }
}

const residentBytesOf = (pid: number): number => {
  try {
    if (!hasProc) return Number(execFileSync('ps', ['-p', String(pid), '-o', 'rss='], { encoding: 'utf8' })) * 1024
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}
