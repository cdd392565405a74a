import type { MigrationBuilder } from 'node-pg-migrate'

/**
 * The ledger: lock and log of every (notification, channel, target) in one row; docs/ledger.md draws its states. The
 * partial indexes hold open rows only, so that a million settled ones cost the pollers nothing. Half of a page stays
 * free, so that an attempt is noted beside its row and touches no index. No foreign key: rows come and go with their notification in one statement, and the check would cost every insert.
 */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    CREATE TABLE deliveries (
      notification_id uuid NOT NULL,
      channel         text NOT NULL CHECK (channel IN ('PUSH', 'SMS', 'EMAIL', 'IN_APP')),
      target_id       text NOT NULL,
      status          text NOT NULL CHECK (status IN ('READY', 'SUCCESS', 'FAIL')),
      code            text,
      transactional   boolean NOT NULL,
      expires_at      timestamptz NOT NULL,
      attempt         integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
      lease_token     uuid,
      lease_until     timestamptz,
      attempted_at    timestamptz,
      not_before      timestamptz,
      retryable       boolean NOT NULL DEFAULT false,
      next_retry_at   timestamptz,
      latency_ms      integer,
      provider_id     text,
      settled_at      timestamptz,
      PRIMARY KEY (notification_id, channel, target_id),
      CHECK ((status = 'READY') = (lease_until IS NOT NULL)),
      CHECK (NOT retryable OR status = 'FAIL'),
      CHECK (next_retry_at IS NULL OR retryable)
    ) WITH (fillfactor = 50);
    CREATE INDEX deliveries_leases ON deliveries (lease_until) WHERE status = 'READY';
    CREATE INDEX deliveries_due ON deliveries (next_retry_at) WHERE next_retry_at IS NOT NULL;
    CREATE INDEX deliveries_recoverable ON deliveries (expires_at) WHERE retryable
  `)
}
