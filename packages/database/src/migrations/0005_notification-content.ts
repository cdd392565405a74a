import type { MigrationBuilder } from 'node-pg-migrate'

/**
 * The content, which is also the user's inbox, and how far its outcome was told. Every column has a default: rows of
 * before had nothing but their names.
 */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    ALTER TABLE notifications
      ADD title              text NOT NULL DEFAULT '',
      ADD body               text NOT NULL DEFAULT '',
      ADD data               jsonb NOT NULL DEFAULT '{}',
      ADD channels           text[] NOT NULL DEFAULT '{}',
      ADD priority           text NOT NULL DEFAULT 'NORMAL' CHECK (priority IN ('LOW', 'NORMAL', 'HIGH')),
      ADD composed_at        timestamptz NOT NULL DEFAULT now(),
      ADD event_timestamp    timestamptz,
      ADD expires_at         timestamptz NOT NULL DEFAULT now() + interval '7 days',
      ADD traceparent        text,
      ADD read_at            timestamptz,
      ADD refusal            text,
      ADD outcome_revision   integer NOT NULL DEFAULT 0,
      ADD outcome_at         timestamptz,
      ADD published_revision integer NOT NULL DEFAULT 0,
      ADD CHECK (published_revision <= outcome_revision);
    CREATE INDEX notifications_unpublished ON notifications (outcome_at) WHERE published_revision < outcome_revision;
    CREATE INDEX notifications_expiry ON notifications (expires_at)
  `)
}
