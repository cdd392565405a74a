import type { MigrationBuilder } from 'node-pg-migrate'

/**
 * The daily batch: one row a day says how far it is and whose it is. Whoever begins or goes on with a run raises the fence,
 * and every write of a holder names the fence it got: one that stood still writes nothing more. Left-out users are those
 * for whom another run of the day is worth while.
 */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    CREATE TABLE recommendation_runs (
      day           date PRIMARY KEY,
      status        text NOT NULL CHECK (status IN ('RUNNING', 'PAUSED', 'FAILED', 'DONE')),
      reason        text,
      as_of         timestamptz NOT NULL,
      fence         integer NOT NULL DEFAULT 1 CHECK (fence > 0),
      heartbeat_at  timestamptz NOT NULL DEFAULT now(),
      cursor        text,
      audience_read boolean NOT NULL DEFAULT false,
      expected      integer,
      users         integer NOT NULL DEFAULT 0,
      sent          integer NOT NULL DEFAULT 0,
      nothing       integer NOT NULL DEFAULT 0,
      refused       jsonb NOT NULL DEFAULT '{}',
      left_out      integer NOT NULL DEFAULT 0 CHECK (left_out >= 0),
      started_at    timestamptz NOT NULL,
      ended_at      timestamptz,
      CHECK ((status = 'RUNNING') = (ended_at IS NULL)),
      CHECK (status <> 'DONE' OR audience_read)
    );
    CREATE TABLE recommendation_left_out (
      day     date NOT NULL,
      user_id text NOT NULL,
      reason  text NOT NULL,
      PRIMARY KEY (day, user_id)
    )
  `)
}
