import type { MigrationBuilder } from 'node-pg-migrate'

/**
 * Where push reaches a user. A token belongs to one device, and a device may get another one. Consent has no default:
 * whoever registers a device has asked.
 */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql(`
    CREATE TABLE devices (
      device_id      text PRIMARY KEY CHECK (device_id <> ''),
      user_id        text NOT NULL CHECK (user_id <> ''),
      token          text NOT NULL UNIQUE CHECK (token <> ''),
      platform       text NOT NULL CHECK (platform IN ('IOS', 'ANDROID', 'WEB')),
      locale         text CHECK (locale <> ''),
      push_consent   boolean NOT NULL,
      status         text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'INVALID')),
      invalid_reason text,
      last_seen_at   timestamptz NOT NULL DEFAULT now(),
      created_at     timestamptz NOT NULL DEFAULT now(),
      updated_at     timestamptz NOT NULL DEFAULT now(),
      CHECK ((status = 'INVALID') = (invalid_reason IS NOT NULL))
    );
    CREATE INDEX devices_of_user ON devices (user_id) WHERE status = 'ACTIVE'
  `)
}
