import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type AuditVerification, createAuditService } from '../../audit/index.ts';
import type { Environment } from '../../config/environment.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { codeOf } from '../../kit/base/error-code.ts';
import { type DatabaseOptions, openDatabase } from '../../kit/db/index.ts';
import { CommandFailure, explainFile } from '../command-failure.ts';
import { readSqlite } from '../read-sqlite.ts';
import { copyFileDurably, digestFile } from './durable-files.ts';
import { DATABASE_FILES, type Manifest, type ManifestFile, readManifest } from './manifest.ts';
import { runPostgresProgram } from './run-postgres-program.ts';

export type VerifyOptions = { environment: Environment; onProgress: (text: string) => void };
export type RestoreOptions = VerifyOptions & { force: boolean };

export type AuditHeads = Extract<AuditVerification, { ok: true }>;

export type BackupVerification = {
  manifest: Manifest;
  /** Null on PostgreSQL: the audit log in a dump can be verified only after it is restored. */
  audit: AuditHeads | null;
};

/** Checks a backup as far as possible without restoring it; a CommandFailure says what is wrong. */
export async function verifyBackup(dir: string, options: VerifyOptions): Promise<BackupVerification> {
  const manifest = await readManifest(dir);
  await verifyFiles(dir, manifest, options);
  if (manifest.kind === 'postgres') return { manifest, audit: null };
  // Opening a database writes beside it, and a backup must not change.
  const scratch = await mkdtemp(join(tmpdir(), 'tramontane-verify-'));
  try {
    const copy = join(scratch, DATABASE_FILES.sqlite);
    await copyFileDurably(join(dir, DATABASE_FILES.sqlite), copy);
    return { manifest, audit: await verifySqlite(copy, options) };
  } catch (error) {
    throw explainFile(error, `Checking a copy in ${tmpdir()} (TMPDIR chooses another directory)`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Checks that every file of the manifest exists and is unchanged. */
export async function verifyFiles(
  dir: string,
  { files, kind }: Manifest,
  { environment, onProgress }: VerifyOptions,
): Promise<void> {
  let done = 0;
  for (const file of files) {
    await verifyFile(dir, file);
    onProgress(`${++done} of ${files.length} files checked`);
  }
  if (kind === 'postgres') {
    const args = ['--list', join(dir, DATABASE_FILES.postgres)];
    await runPostgresProgram({ program: 'pg_restore', args, environment });
  }
}

async function verifyFile(dir: string, { path, bytes, sha256 }: ManifestFile): Promise<void> {
  const found = await digestFile(join(dir, path)).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandFailure(`The backup ${resolve(dir)} is damaged: ${path} cannot be read (${cause.code}).`, {
      cause,
    });
  });
  if (found.bytes !== bytes || found.sha256 !== sha256) {
    throw new CommandFailure(
      `The backup ${resolve(dir)} is damaged: ${path} has changed since it was written. Use another backup.`,
    );
  }
}

/** Checks the integrity of the database and of the audit log in it. */
export async function verifySqlite(file: string, options: Pick<VerifyOptions, 'onProgress'>): Promise<AuditHeads> {
  options.onProgress('checking the integrity of the database');
  try {
    const damage = readSqlite(file, (connection) => connection.findDamage('integrity_check'));
    if (damage) throw damaged(damage.replaceAll('\n', ' '));
    return await verifyAudit({ kind: 'sqlite', file }, options);
  } catch (error) {
    const code = codeOf(error);
    throw code.startsWith('SQLITE_') ? damaged(code) : error;
  }
}

function damaged(reason: string): CommandFailure {
  return new CommandFailure(`The database in the backup is damaged: ${reason}. Use another backup.`);
}

export async function verifyAudit(
  options: DatabaseOptions,
  { onProgress }: Pick<VerifyOptions, 'onProgress'>,
): Promise<AuditHeads> {
  const database = await openDatabase(options);
  try {
    const audit = createAuditService({ database, now: systemClock });
    const found = await audit.verify({ onProgress: ({ entries }) => onProgress(`${entries} audit entries checked`) });
    if (found.ok) return found;
    throw new CommandFailure(
      `The audit log in the backup is broken: entry ${found.log_id} of organization ${found.organization_id} (${found.problem}).`,
    );
  } finally {
    await database.close();
  }
}
