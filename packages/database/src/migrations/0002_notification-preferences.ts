import type { MigrationBuilder } from 'node-pg-migrate'

/** A user without a row wants everything: the defaults here are those of read-recipients.ts. */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    CREATE TABLE notification_preferences (
      user_id                text PRIMARY KEY CHECK (user_id <> ''),
      price_drop_enabled     boolean NOT NULL DEFAULT true,
      restock_enabled        boolean NOT NULL DEFAULT true,
      recommendation_enabled boolean NOT NULL DEFAULT true,
      reminder_enabled       boolean NOT NULL DEFAULT true,
      channels               text[] NOT NULL DEFAULT '{PUSH,IN_APP}'
                             CHECK (channels <@ '{PUSH,SMS,EMAIL,IN_APP}'::text[]),
      quiet_hours_start      time,
      quiet_hours_end        time,
      updated_at             timestamptz NOT NULL DEFAULT now(),
      CHECK ((quiet_hours_start IS NULL) = (quiet_hours_end IS NULL))
    )
  `)
}
