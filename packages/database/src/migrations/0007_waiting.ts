import type { MigrationBuilder } from 'node-pg-migrate'

/**
 * A delivery that waits for a time of the business (quiet hours) has `not_before` and no lease: leases are by the
 * database's clock. Each channel has a poller of its own, so the indexes of open rows begin with the channel: what piles
 * up for one does not stand in the way of another. The last index finds a newer notification about the same thing.
 */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    ALTER TABLE deliveries
      DROP CONSTRAINT deliveries_check,
      ADD CONSTRAINT deliveries_lease CHECK (
        CASE WHEN status = 'READY' THEN lease_until IS NOT NULL OR not_before IS NOT NULL ELSE lease_until IS NULL END
      );
    DROP INDEX deliveries_leases, deliveries_due;
    CREATE INDEX deliveries_leases ON deliveries (channel, lease_until) WHERE status = 'READY';
    CREATE INDEX deliveries_deferred ON deliveries (channel, not_before) WHERE status = 'READY' AND lease_until IS NULL;
    CREATE INDEX deliveries_due ON deliveries (channel, next_retry_at) WHERE next_retry_at IS NOT NULL;
    CREATE INDEX notifications_of_user ON notifications (user_id, product_id, notification_type)
  `)
}
