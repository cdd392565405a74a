import type { MigrationBuilder } from 'node-pg-migrate'

/** Whether a timezone exists is for whoever writes it to check: the server's list of zones is not ours. */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    CREATE TABLE user_info (
      user_id    text PRIMARY KEY CHECK (user_id <> ''),
      timezone   text NOT NULL DEFAULT 'Asia/Seoul' CHECK (timezone <> ''),
      locale     text NOT NULL DEFAULT 'ko' CHECK (locale <> ''),
      email      text,
      phone      text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    )
  `)
}
