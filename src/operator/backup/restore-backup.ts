import { join } from 'node:path';
import { lockDataDir } from '../../compose/lock-data-dir.ts';
import { explainDatabaseFailure, explainStartFailure } from '../../compose/start-failure.ts';
import type { Config } from '../../config/config.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { CommandFailure, explainFile } from '../command-failure.ts';
import { DATABASE_FILES, type Manifest, readManifest } from './manifest.ts';
import { restorePostgres } from './restore-postgres.ts';
import { findOccupied, moveIntoPlace, removeStaged, stageBlobs, stageDatabase } from './stage-files.ts';
import { type AuditHeads, type RestoreOptions, verifyFiles, verifySqlite } from './verify-backup.ts';

export type Restored = { manifest: Manifest; audit: AuditHeads; kept: string[] };

/** Replaces the platform's data by a verified backup. The old data stays untouched until all of the new is copied. */
export async function restoreBackup(config: Config, dir: string, options: RestoreOptions): Promise<Restored> {
  const manifest = await readManifest(dir);
  if (manifest.kind !== config.database.kind) {
    const names = {
      sqlite: 'SQLite (unset TRAMONTANE_DATABASE_URL)',
      postgres: 'PostgreSQL (set TRAMONTANE_DATABASE_URL)',
    };
    throw new CommandFailure(`This backup is of ${names[manifest.kind]}, but another database is configured.`);
  }
  const unlock = lock(config);
  try {
    const occupied = await findOccupied(config, manifest);
    if (occupied.length > 0 && !options.force) {
      throw new CommandFailure(
        `The data dir ${config.dataDir} has data already (${occupied.join(', ')}). Use --force to replace it by the backup; the old data is kept beside it.`,
      );
    }
    await verifyFiles(dir, manifest, options);
    await removeStaged(config.dataDir);
    return await restore(config, dir, manifest, options);
  } catch (error) {
    await removeStaged(config.dataDir);
    throw explainFile(error, 'The restore');
  } finally {
    unlock();
  }
}

// On PostgreSQL too: the blobs are in the data dir, and two restores at once would mix them.
function lock(config: Config): () => void {
  try {
    return lockDataDir(config.dataDir);
  } catch (error) {
    throw explainStartFailure(error, config);
  }
}

async function restore(config: Config, dir: string, manifest: Manifest, options: RestoreOptions): Promise<Restored> {
  const { dataDir, database } = config;
  const suffix = `before-restore-${isoMicros().slice(0, 19).replaceAll(':', '-')}`;
  await stageBlobs(dir, config, manifest, options.onProgress);
  if (database.kind === 'postgres') {
    const file = join(dir, DATABASE_FILES.postgres);
    const audit = await restorePostgres(database.url, file, manifest, options).catch((error: unknown) => {
      throw error instanceof CommandFailure ? error : explainDatabaseFailure(error, config);
    });
    return { manifest, audit, kept: await moveIntoPlace(dataDir, manifest, suffix) };
  }
  const staged = await stageDatabase(dir, dataDir);
  const audit = await verifySqlite(staged, options);
  return { manifest, audit, kept: await moveIntoPlace(dataDir, manifest, suffix) };
}
