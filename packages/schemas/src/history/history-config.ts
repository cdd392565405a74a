import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { text } from '@dropbell/shared/config/variables'

/** The index of ours that whoever wants to know what became of a notification reads. */
export const historyConfig = {
  shape: {
    NOTIFICATION_HISTORY_INDEX: text()
      .default('notification_history_index')
      .describe('Alias of the history of notifications; its indices are called after it and their month.'),
  },
} satisfies ConfigFragment

export type HistoryConfig = Config<typeof historyConfig>
