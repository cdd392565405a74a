import type { MigrationBuilder } from 'node-pg-migrate'

/** A user who travels while something waits: the day that it was counted on is that of the zone they were in. */
export const up = (pgm: MigrationBuilder): void => {
  pgm.sql('ALTER TABLE notifications ADD timezone text')
}
