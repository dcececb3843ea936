import { existsSync, mkdirSync } from 'node:fs';
import { migrations } from '../../migrations/index.ts';
import { createInvitationPost } from '../admin/index.ts';
import { type AuditService, createAuditService } from '../audit/index.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { isoMicros, systemClock } from '../kit/base/clock.ts';
import { StorageFailure } from '../kit/base/storage-failure.ts';
import { createSignal, type Database, migrate, openDatabase, ProgramTooOld, type Signal } from '../kit/db/index.ts';
import { judgeMigrations, readMigrations } from '../operator/check-migrations.ts';
import { createTenantService, type TenantService } from '../tenants/index.ts';
import { explainStart, StartFailure } from './start-failure.ts';

export type Platform = {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  tenants: TenantService;
  migrated: string[];
  close(): Promise<void>;
};

/** Opens the data and the services that the server and the operator's commands share. */
export function openPlatform(config: Config): Promise<Platform> {
  return open(config, {
    before: () => void mkdirSync(config.dataDir, { recursive: true, mode: 0o700 }),
    prepare: (database) => migrate(database, migrations, version, isoMicros()),
  });
}

/** For the operator's commands: what is there already, as it is. Making and upgrading it is the server's part. */
export async function openExistingPlatform(config: Config): Promise<Platform> {
  if (config.database.kind === 'sqlite' && !existsSync(config.database.file)) throw noPlatform(config);
  const platform = await open(config, {
    async prepare(database) {
      const found = judgeMigrations(await readMigrations(database.db));
      if (found.state === 'absent') throw noPlatform(config);
      if (found.state === 'program-too-old') throw found.error;
      if (found.state === 'behind') {
        throw new StartFailure(
          `The database was made by an older program and lacks ${found.pending.join(', ')}: run tramontane start once, which upgrades it, then try again.`,
        );
      }
      return [];
    },
  });
  // A server that was stopped in the middle of its very first start leaves the tables and nobody in them.
  if ((await platform.tenants.listOrganizations()).length > 0) return platform;
  await platform.close();
  throw noPlatform(config);
}

export function noPlatform(config: Config): StartFailure {
  const where = config.database.kind === 'sqlite' ? config.dataDir : describeDatabase(config.database.url);
  return new StartFailure(`no platform here yet: run tramontane start first (looked in ${where})`);
}

type Steps = { before?: () => void; prepare: (database: Database) => Promise<string[]> };

async function open(config: Config, { before, prepare }: Steps): Promise<Platform> {
  let database: Database | undefined;
  try {
    before?.();
    database = await openDatabase(config.database);
    const migrated = await prepare(database);
    const keysSignal = createSignal(database, 'keys', systemClock);
    const audit = createAuditService({ database, now: systemClock });
    const tenants = createTenantService({
      database,
      audit,
      keysSignal,
      now: systemClock,
      ...(config.file.mail && { post: createInvitationPost(database, systemClock) }),
    });
    const opened = database;
    return {
      database,
      audit,
      keysSignal,
      tenants,
      migrated,
      async close() {
        await keysSignal.stop();
        await opened.close();
      },
    };
  } catch (error) {
    await database?.close().catch(() => undefined);
    throw explainDatabase(error, config);
  }
}

/** Words a failure to open or read the database in terms of what to do about it. */
export function explainDatabase(error: unknown, config: Config): unknown {
  if (error instanceof StartFailure) return error;
  if (error instanceof ProgramTooOld) return new StartFailure(error.message);
  if (config.database.kind === 'sqlite') return explainStart(error, config);
  const cause = error instanceof StorageFailure ? error.cause : error;
  const reason =
    cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause);
  return new StartFailure(
    `The database ${describeDatabase(config.database.url)} cannot be used (${reason}). Check TRAMONTANE_DATABASE_URL and that the server is up.`,
  );
}

/** Name, host and port; never user or password. */
export function describeDatabase(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${pathname.slice(1)} on ${hostname}:${port || 5432}`;
}
