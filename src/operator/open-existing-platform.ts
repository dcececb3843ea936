import { existsSync } from 'node:fs';
import { connectPlatform, type Platform } from '../compose/open-platform.ts';
import { describeDatabase, StartFailure } from '../compose/start-failure.ts';
import type { Config } from '../config/config.ts';
import { type Database, listAppliedMigrations } from '../kit/db/index.ts';
import { checkMigrations } from './check-migrations.ts';

/** For commands: opens an up-to-date database. Only the server creates or upgrades one. */
export async function openExistingPlatform(config: Config): Promise<Platform> {
  if (config.database.kind === 'sqlite' && !existsSync(config.database.file)) throw noPlatform(config);
  const platform = await connectPlatform(config, (database) => checkDatabase(config, database));
  // A server that was stopped during its first start leaves the tables without an organization.
  if ((await platform.tenants.listOrganizations()).length > 0) return platform;
  await platform.close();
  throw noPlatform(config);
}

async function checkDatabase(config: Config, { db }: Database): Promise<void> {
  const found = checkMigrations(await listAppliedMigrations(db));
  if (found.state === 'absent') throw noPlatform(config);
  if (found.state === 'program-too-old') throw found.error;
  if (found.state === 'behind')
    throw new StartFailure(
      `The database was made by an older program and lacks ${found.pending.join(', ')}: run tramontane start once, which upgrades it, then try again.`,
    );
}

export function noPlatform(config: Config): StartFailure {
  const where = config.database.kind === 'sqlite' ? config.dataDir : describeDatabase(config.database.url);
  return new StartFailure(`no platform here yet: run tramontane start first (looked in ${where})`);
}
