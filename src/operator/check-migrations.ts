import { migrations } from '../../migrations/index.ts';
import { version } from '../config/version.ts';
import { type AppliedMigration, compareVersions, ProgramTooOld } from '../kit/db/index.ts';

/** How a database and this program fit together. `absent` is a database without any of our tables. */
export type MigrationState =
  | { state: 'absent' }
  | { state: 'program-too-old'; error: ProgramTooOld }
  | { state: 'behind'; applied: string[]; pending: string[] }
  | { state: 'current'; applied: string[] };

export function checkMigrations(rows: AppliedMigration[]): MigrationState {
  const tooNew = rows.find(({ oldest_program }) => compareVersions(version, oldest_program) < 0);
  if (tooNew) return { state: 'program-too-old', error: new ProgramTooOld(version, tooNew.oldest_program) };
  if (rows.length === 0) return { state: 'absent' };
  const applied = rows.map(({ name }) => name);
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
  return pending.length > 0 ? { state: 'behind', applied, pending } : { state: 'current', applied };
}
