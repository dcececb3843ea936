import { describeDatabase } from '../../compose/start-failure.ts';
import { uuid } from '../../kit/base/ids.ts';
import { listAppliedMigrations, openDatabase, type Tx } from '../../kit/db/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { countOtherConnections } from './connections-store.ts';
import type { Manifest } from './manifest.ts';
import { attachPartitions, detachPartitions, dropDetached } from './partitions-store.ts';
import { runPostgresProgram } from './run-postgres-program.ts';
import { type AuditHeads, type RestoreOptions, verifyAudit } from './verify-backup.ts';

/** pg_restore replaces the tables in one transaction. The old data is not kept. */
export async function restorePostgres(
  url: string,
  file: string,
  manifest: Manifest,
  { environment, force, onProgress }: RestoreOptions,
): Promise<AuditHeads> {
  await checkTarget(url, manifest, force);
  onProgress('pg_restore is running');
  const args = [
    '--clean',
    '--if-exists',
    '--single-transaction',
    '--no-owner',
    '--no-privileges',
    '--no-password',
    file,
  ];
  const partitions = await inTransaction(url, detachPartitions);
  try {
    await runPostgresProgram({ program: 'pg_restore', args, url, environment });
  } catch (error) {
    await inTransaction(url, (tx) => attachPartitions(tx, partitions));
    throw error;
  }
  await inTransaction(url, (tx) => dropDetached(tx, partitions));
  return verifyAudit({ kind: 'postgres', url }, { onProgress });
}

async function inTransaction<T>(url: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const database = await openDatabase({ kind: 'postgres', url });
  try {
    return await database.transaction(work);
  } finally {
    await database.close();
  }
}

async function checkTarget(url: string, manifest: Manifest, force: boolean): Promise<void> {
  const name = describeDatabase(url);
  const database = await openDatabase({ kind: 'postgres', url: withApplicationName(url) });
  try {
    const applied = await listAppliedMigrations(database.db);
    if (applied.length > 0 && !force) {
      throw new CommandFailure(
        `The database ${name} has a platform already. Use --force to replace it; the old data is not kept, so make a backup of it first.`,
      );
    }
    // pg_restore drops only tables of the backup; those of a later version would stay and break the next upgrade.
    const later = applied.filter((migration) => !manifest.migrations.includes(migration.name));
    if (later.length > 0) {
      throw new CommandFailure(
        `The database ${name} is newer than the backup (${later.map((migration) => migration.name).join(', ')}). Restore into an empty database and point TRAMONTANE_DATABASE_URL at it.`,
      );
    }
    const others = await countOtherConnections(database.db);
    if (others > 0) {
      throw new CommandFailure(
        `${others} other connections use the database ${name}. Stop the servers that use it and try again.`,
      );
    }
  } finally {
    await database.close();
  }
}

// Distinguishes our connections from those of a server.
function withApplicationName(url: string): string {
  const named = new URL(url);
  named.searchParams.set('application_name', `tramontane-restore-${uuid()}`);
  return named.href;
}
