import type { MigrationBuilder } from 'node-pg-migrate'

/** What was handed to delivery. The primary key is all that "already known?" needs. */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    CREATE TABLE notifications (
      notification_id   uuid PRIMARY KEY,
      user_id           text NOT NULL,
      notification_type text NOT NULL CHECK (
        notification_type IN ('PRICE_DROP', 'BACK_IN_STOCK', 'RECOMMENDATION', 'REMINDER', 'TRANSACTIONAL')
      ),
      product_id        text NOT NULL,
      event_id          text,
      created_at        timestamptz NOT NULL DEFAULT now()
    )
  `)
}
