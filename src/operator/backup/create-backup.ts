import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { explainDatabaseFailure } from '../../compose/start-failure.ts';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { version } from '../../config/version.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { type AppliedMigration, listAppliedMigrations, openDatabase } from '../../kit/db/index.ts';
import { checkMigrations } from '../check-migrations.ts';
import { CommandFailure, explainFile } from '../command-failure.ts';
import { noPlatform } from '../open-existing-platform.ts';
import { readSqlite } from '../read-sqlite.ts';
import { copyBlobs } from './copy-blobs.ts';
import { copySqlite } from './copy-sqlite.ts';
import { digestFile, syncDirectories, syncPath, writeFileDurably } from './durable-files.ts';
import { DATABASE_FILES, MANIFEST, type Manifest, type ManifestFile } from './manifest.ts';
import { runPostgresProgram } from './run-postgres-program.ts';

const SIZE_POLL_MS = 500;

export type BackupOptions = { environment: Environment; onProgress: (text: string) => void };

/**
 * Writes a backup of a running platform. The directory gets its name once everything is on disk, so one with that name
 * is always complete.
 */
export async function createBackup(config: Config, dir: string, options: BackupOptions): Promise<Manifest> {
  const target = resolve(dir);
  const partial = `${target}.partial`;
  if (existsSync(target)) throw new CommandFailure(`${target} exists already. Choose another name for the backup.`);
  const migrations = await findMigrations(config);
  await mkdir(dirname(target), { recursive: true }).catch((error: unknown) => {
    throw explainFile(error, `Making ${dirname(target)}`);
  });
  await mkdir(partial, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw explainFile(error, `Making ${partial}`);
    throw new CommandFailure(
      `${partial} exists already: another backup is being written there, or one was interrupted. If none is running, remove it and try again.`,
    );
  });
  try {
    const manifest = await writeBackup(config, partial, migrations, options);
    await rename(partial, target);
    await syncPath(dirname(target), 'directory');
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw explainFile(error, 'The backup');
  }
}

async function writeBackup(
  config: Config,
  partial: string,
  migrations: string[],
  { environment, onProgress }: BackupOptions,
): Promise<Manifest> {
  const { kind } = config.database;
  const created_at = isoMicros();
  const blobs = new Map<string, ManifestFile>();
  const copyMissingBlobs = () => copyBlobs(config, partial, blobs, (files) => onProgress(`${files} blobs copied`));
  // Before and after the database, whose copy may refer to blobs that were deleted or added meanwhile.
  await copyMissingBlobs();
  const path = DATABASE_FILES[kind];
  const file = join(partial, path);
  if (config.database.kind === 'sqlite') {
    await copySqlite(config.database.file, file, (done, total) =>
      onProgress(`database ${Math.floor((100 * done) / Math.max(total, 1))} %`),
    ).catch((error: unknown) => {
      throw explainDatabaseFailure(error, config);
    });
  } else {
    await dump(config.database.url, file, { environment, onProgress });
  }
  await copyMissingBlobs();
  await chmod(file, 0o600);
  await syncPath(file, 'file');
  const files = [{ path, ...(await digestFile(file)) }, ...blobs.values()];
  const manifest: Manifest = { format: 1, kind, program_version: version, created_at, migrations, files };
  await writeFileDurably(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  await syncDirectories(partial);
  return manifest;
}

async function dump(url: string, file: string, { environment, onProgress }: BackupOptions): Promise<void> {
  const timer = setInterval(() => {
    stat(file).then(
      ({ size }) => onProgress(`pg_dump wrote ${Math.floor(size / 1024)} KiB`),
      () => undefined,
    );
  }, SIZE_POLL_MS);
  try {
    // The next start makes the tables of pgvector again, so that a server without it can have the backup.
    const args = ['--format=custom', `--file=${file}`, '--no-password', '--exclude-table=search_nearest_*'];
    await runPostgresProgram({ program: 'pg_dump', args, url, environment });
  } finally {
    clearInterval(timer);
  }
}

async function findMigrations(config: Config): Promise<string[]> {
  const found = checkMigrations(await readApplied(config));
  if (found.state === 'absent') throw noPlatform(config);
  if (found.state === 'program-too-old') throw explainDatabaseFailure(found.error, config);
  // A database that is behind is backed up as it is: a backup matters most before an upgrade.
  return found.applied;
}

async function readApplied(config: Config): Promise<AppliedMigration[]> {
  try {
    if (config.database.kind === 'sqlite') {
      const { file } = config.database;
      return existsSync(file) ? readSqlite(file, (connection) => connection.migrations()) : [];
    }
    const database = await openDatabase(config.database);
    try {
      return await listAppliedMigrations(database.db);
    } finally {
      await database.close();
    }
  } catch (error) {
    throw explainDatabaseFailure(error, config);
  }
}
