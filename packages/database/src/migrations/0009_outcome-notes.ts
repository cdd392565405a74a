import type { MigrationBuilder } from 'node-pg-migrate'

/**
 * An outcome changes when one of its deliveries does, so the deliveries count the changes, in a row that is written anyway: a
 * notification is not written again after its insert. What is to be published is noted once per statement, for all the
 * notifications that it concerns, and the note goes when they are published.
 */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    ALTER TABLE deliveries
      ADD revision   integer NOT NULL DEFAULT 0,
      ADD revised_at timestamptz;
    CREATE TABLE unpublished_outcomes (
      note_id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      notification_ids uuid[] NOT NULL,
      noted_at         timestamptz NOT NULL DEFAULT now()
    );
    UPDATE deliveries d
    SET revision = n.outcome_revision, revised_at = n.outcome_at
    FROM notifications n
    WHERE n.notification_id = d.notification_id AND n.outcome_revision > 0;
    INSERT INTO unpublished_outcomes (notification_ids)
    SELECT array_agg(notification_id)
    FROM (
      SELECT notification_id, row_number() OVER () / 500 AS part
      FROM notifications WHERE published_revision < outcome_revision
    ) n
    GROUP BY part;
    ALTER TABLE notifications
      DROP outcome_revision,
      DROP outcome_at,
      DROP published_revision
  `)
}
