import { mkdirSync } from 'node:fs';
import { migrations } from '../migrations/index.ts';
import { type AuditService, createAuditService } from './audit/index.ts';
import type { Config } from './config.ts';
import { isoMicros, systemClock } from './kit/base/clock.ts';
import { createSignal, type Database, migrate, openDatabase, ProgramTooOld, type Signal } from './kit/db/index.ts';
import { explainStart, StartFailure } from './start-failure.ts';
import { createTenantService, type TenantService } from './tenants/index.ts';
import { version } from './version.ts';

export type Platform = {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  tenants: TenantService;
  migrated: string[];
  close(): Promise<void>;
};

/** Opens the data and the services that the server and the operator's commands share. */
export async function openPlatform(config: Config): Promise<Platform> {
  let database: Database | undefined;
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    database = await openDatabase(config.database);
    const migrated = await migrate(database, migrations, version, isoMicros());
    const keysSignal = createSignal(database, 'keys', systemClock);
    const audit = createAuditService({ database, now: systemClock });
    const tenants = createTenantService({ database, audit, keysSignal, now: systemClock });
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
    if (error instanceof ProgramTooOld) throw new StartFailure(error.message);
    if (config.database.kind === 'postgres') {
      const { hostname, port, pathname } = new URL(config.database.url);
      const reason =
        error instanceof Error ? error.message || ('code' in error ? String(error.code) : error.name) : String(error);
      throw new StartFailure(
        `The database ${pathname.slice(1)} on ${hostname}:${port || 5432} cannot be used (${reason}). Check TRAMONTANE_DATABASE_URL and that the server is up.`,
      );
    }
    throw explainStart(error, config);
  }
}
