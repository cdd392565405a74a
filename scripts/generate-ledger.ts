import { findSupersededSql } from '@dropbell/database/find-superseded'
import { claimPlansSql } from '@dropbell/database/ledger/claim-plans'
import { deferDeliveriesSql } from '@dropbell/database/ledger/defer-deliveries'
import { expireDeliveriesSql } from '@dropbell/database/ledger/expire-deliveries'
import { giveBackDeliveriesSql } from '@dropbell/database/ledger/give-back-deliveries'
import { deleteNotesSql, readOldNoteSql } from '@dropbell/database/ledger/outcome-notes'
import { pruneSettledSql } from '@dropbell/database/ledger/prune-settled'
import { readOutcomesSql } from '@dropbell/database/ledger/read-outcomes'
import { settleAbandonedSql } from '@dropbell/database/ledger/settle-abandoned'
import { settleDeliveriesSql } from '@dropbell/database/ledger/settle-deliveries'
import { startAttemptsSql } from '@dropbell/database/ledger/start-attempts'
import { sweepFailuresSql } from '@dropbell/database/ledger/sweep-failures'
import { takeDeferredSql, takeOverSql, takeRetriesSql } from '@dropbell/database/ledger/take-due-deliveries'
import { migrationList } from '@dropbell/database/migration-list'
import { refusalCodes, waitCodes } from '@dropbell/schemas/refusal-codes'
import type { MigrationBuilder } from 'node-pg-migrate'
import { writeOrCheck } from './write-or-check.ts'

/** Without the indentation of the source it stands in. */
const dedent = (sql: string): string => {
  const lines = sql
    .split('\n')
    .filter((line, index, all) => line.trim() !== '' || (index > 0 && index < all.length - 1))
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n')
}

const block = (sql: string): string => `\`\`\`sql\n${dedent(sql)}\n\`\`\``

const tablesOf = (...migrations: string[]): string => {
  const statements: string[] = []
  const recorder = { sql: (sql: string) => statements.push(sql) } as unknown as MigrationBuilder
  for (const name of migrations) migrationList[name]?.up(recorder)
  return statements.map(block).join('\n\n')
}

interface Arrow {
  title: string
  meaning: string
  sql: readonly string[]
}

const arrows: Arrow[] = [
  {
    title: '(none) → READY: ours, left, or deferred; or FAIL where the plan refuses',
    meaning: `Plan and claim, in one statement and so in one transaction per batch. \`$1\` are the notifications, \`$2\` to \`$7\` their
deliveries, \`$8\` and \`$9\` the lease. Whoever inserts the notification inserts all its deliveries; where it exists, nothing
is planned again, so a device that was bought later is not told by a replay. SMS and EMAIL are left to the poller of their channel; what
would ring in quiet hours is deferred. Where nothing is to be sent now, the outcome is known at once.`,
    sql: [claimPlansSql],
  },
  {
    title: 'READY → READY, attempted',
    meaning: `The compare-and-set before **every** send, the first or a repeated one. \`$4\` is the token of the lease, \`$5\` a new one for
the attempt. Only rows that come back are sent, and only until the lease ends, counted from before the question. The
second half of the condition is for an answer that was lost: asking again finds the same rows and counts nothing twice.
A lease of which less is left than the attempt needs (\`$7\`) begins anew; otherwise \`lease_until\` stays as it is, so that no index changes.`,
    sql: [startAttemptsSql],
  },
  {
    title: 'attempted → SUCCESS, or FAIL: final, due again, or left to the sweep',
    meaning: `In bulk, and only with the token of the attempt (\`$11\`): a process that was stopped and wakes up settles nothing. What
waited and is no longer wanted goes to FAIL here too, with the token of the lease. The outcomes of the
notifications concerned are noted, and a device whose token turned out to be dead becomes INVALID, unless it has
another token by now.`,
    sql: [settleDeliveriesSql],
  },
  {
    title: 'READY → READY, given back',
    meaning: `For what was not handed over (budget, pause, open breaker) and for what the provider is known not to have taken
(connection refused, REFUSED_STREAM, a stream above GOAWAY's last id). An attempt that was begun is taken back: an FCM
that is down burns no attempts. The row is nobody's, and due when its lease is over.`,
    sql: [giveBackDeliveriesSql],
  },
  {
    title: 'READY, never attempted, lease over → READY, taken over',
    meaning: `By the poller of the channel, every second, day and night: what was left to it, the work of instances that died, and what was
given back. With a lease of at most 50 s and a poll at least every 10 s, within a minute.`,
    sql: [takeOverSql],
  },
  {
    title: 'READY, its time has come → READY',
    meaning: `By the poller of the channel, when \`not_before\` (\`$5\` is now, by the clock of the business) has come. Nothing waits beyond its
\`expires_at\`.`,
    sql: [takeDeferredSql],
  },
  {
    title: 'READY, ours → READY, deferred',
    meaning: `When it turns out to be quiet hours, or nobody can judge the offer or the slot. Only a new reason is a new revision of the outcome.`,
    sql: [deferDeliveriesSql],
  },
  {
    title: 'FAIL, due → READY',
    meaning: 'Quick retries, by the same poller.',
    sql: [takeRetriesSql],
  },
  {
    title: 'What a poller took → sent, FAIL, or deferred',
    meaning: `It is judged again, in this order: expired, opted out, target gone (by what its user wants and has now); quiet hours; and, if it
waited or its event is older than \`OFFER_RECHECK_MS\`: is there a newer one about the same user, product and type (below), is
the offer as good as it was (state of the product in Redis, else \`PRODUCT_INDEX\`), and is there a slot of the user's day, if that is no
longer the day it was admitted on. Refusals are settled with the token of the lease. Records that are old when they are read are judged
in the same way, right after the claim. TRANSACTIONAL is only asked for expiry and target.`,
    sql: [findSupersededSql],
  },
  {
    title: 'attempted, lease over → FAIL/UNKNOWN_OUTCOME',
    meaning: `Nobody knows whether the provider took it. Promotional: final, a missed alert is better than two. TRANSACTIONAL: due
again, with the same collapse key.`,
    sql: [settleAbandonedSql],
  },
  {
    title: 'FAIL, quick retries spent → FAIL, due',
    meaning: `The recovery sweep, by default every 5 minutes from 09:00 until 22:00 in Asia/Seoul. It only makes rows due; the poller
of any instance takes them. Each sweep buys one attempt, until \`expires_at\`.`,
    sql: [sweepFailuresSql],
  },
  {
    title: 'FAIL, retryable → FAIL/EXPIRED',
    meaning: 'By any instance, once the offer is over by the clock of the business.',
    sql: [expireDeliveriesSql],
  },
  {
    title: 'settled → (none)',
    meaning: `\`dropbell db prune\`: small batches, never before a day after the expiry, never what is open or has an outcome that was not
published.`,
    sql: [pruneSettledSql],
  },
  {
    title: 'Outcomes',
    meaning: `The revision of an outcome is how often its deliveries changed. Every statement that changes some leaves one note in
\`unpublished_outcomes\`, in the same transaction, of all the notifications concerned. Whoever changed them publishes their outcomes
before the offset and deletes the note; after a crash a poller does so, five seconds later. A revision may be published
twice and says the same. A dead letter's outcome (FAILED/\`DEAD_LETTERED\`) has revision 0, so that whatever a replay brings is newer.`,
    sql: [readOutcomesSql, readOldNoteSql, deleteNotesSql],
  },
]

await writeOrCheck({
  'docs/ledger.md': `# The delivery ledger

One row of \`deliveries\` per (notification, channel, target) is both the lock and the log: a message is handed to a
provider only by whoever holds its row, after the row says so. This page is generated from the statements that run:
\`npx pnpm generate\`. A test per arrow is in \`packages/database/src/ledger/ledger.int.test.ts\`; crashes at every point between
two arrows are in \`services/push-sender/src/crashes.int.test.ts\`.

\`\`\`
           plan + claim, one statement            provider took it
  (none) ───────────────▶ READY ──── attempt ───▶ SUCCESS
     │                      ▲ │                    refused, will not change              → FAIL (final)
     │ plan refuses         │ ├──── attempt ───▶  refused, may pass                     → FAIL, next_retry_at ──▶ READY, attempt …
     ▼                      │ │                    … quick retries spent                 → FAIL, sweep ──▶ due again, until EXPIRED
   FAIL (final)             │ ├──── attempt ───▶  unknown (deadline, lost after write)  → FAIL/UNKNOWN_OUTCOME (TRANSACTIONAL: due again)
                            │ ├──── attempt ───▶  not taken, or held back               ┐
                            ├─┴── lease ran out before an attempt ◀─────────────────────┘ anybody's again
                            └──── quiet hours, offer unknown: deferred until not_before, then judged again
\`\`\`

| state | how it looks |
|---|---|
| claimed | \`READY\`, \`lease_token\` set, \`attempted_at\` null |
| in flight | \`READY\`, \`attempted_at\` set; the token is the attempt's |
| left, given back | \`READY\`, \`lease_token\` null; \`lease_until\` says when it may be taken |
| deferred | \`READY\`, \`lease_until\` null; \`not_before\` says when it may be taken, \`code\` why it waits |
| delivered | \`SUCCESS\` |
| quick retry | \`FAIL\`, \`retryable\`, \`next_retry_at\` set |
| waits for the sweep | \`FAIL\`, \`retryable\`, \`next_retry_at\` null |
| final | \`FAIL\`, not \`retryable\`; \`code\` says why |

Leases and retries use the database's clock (\`now()\`), so that instances need not agree on the time. Business times
(expiry, quiet hours, the hours of the sweep) come from the service's clock, as parameters.

\`code\` is the provider's (\`UNREGISTERED\`, \`HTTP_503\`, …), \`UNKNOWN_OUTCOME\`, or one of ours: why nothing was sent
(${refusalCodes.map((code) => `\`${code}\``).join(', ')}), or why it waits (${waitCodes.map((code) => `\`${code}\``).join(', ')}). A channel that
was refused as a whole has one row with an empty \`target_id\`; a notification that was refused as a whole (\`EXPIRED\`,
\`OPTED_OUT\`, \`NO_CHANNEL\`) has its reason in \`notifications.refusal\` and no rows. The target of SMS is \`phone\`, of EMAIL
\`email\`, of IN_APP \`inbox\`; of PUSH it is the id of a device. In an outcome's results, a target that was refused has attempt 0.

## Tables

${tablesOf('0003_notifications', '0004_devices', '0005_notification-content', '0006_deliveries', '0007_waiting', '0009_outcome-notes')}

## Arrows

${arrows.map(({ title, meaning, sql }) => `### ${title}\n\n${meaning}\n\n${sql.map(block).join('\n\n')}`).join('\n\n')}
`,
})
