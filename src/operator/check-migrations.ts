import { migrations } from '../../migrations/index.ts';
import { version } from '../config/version.ts';
import { compareVersions, type Db, ProgramTooOld } from '../kit/db/index.ts';

export type AppliedMigration = { name: string; oldest_program: string };

/** How a database and this program fit together. `absent` is a database without any of our tables. */
export type MigrationState =
  | { state: 'absent' }
  | { state: 'program-too-old'; error: ProgramTooOld }
  | { state: 'behind'; applied: string[]; pending: string[] }
  | { state: 'current'; applied: string[] };

export function judgeMigrations(rows: AppliedMigration[]): MigrationState {
  const tooNew = rows.find(({ oldest_program }) => compareVersions(version, oldest_program) < 0);
  if (tooNew) return { state: 'program-too-old', error: new ProgramTooOld(version, tooNew.oldest_program) };
  if (rows.length === 0) return { state: 'absent' };
  const applied = rows.map(({ name }) => name);
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
  return pending.length > 0 ? { state: 'behind', applied, pending } : { state: 'current', applied };
}

/** Only reads: a database without the table stays without it. */
export async function readMigrations(db: Db): Promise<AppliedMigration[]> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'migrations')) return [];
  return db.selectFrom('migrations').select(['name', 'oldest_program']).orderBy('name').execute();
}
