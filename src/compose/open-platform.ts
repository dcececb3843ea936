import { migrations } from '../../migrations/index.ts';
import { createInvitationPost } from '../admin/index.ts';
import { type AuditService, createAuditService } from '../audit/index.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { deleteOfUser } from '../connectors/index.ts';
import { isoMicros, systemClock } from '../kit/base/clock.ts';
import { createLog } from '../kit/base/log.ts';
import { createPrivateDir, restrictEntries } from '../kit/base/private-files.ts';
import { createSignal, type Database, migrate, openDatabase, type Signal } from '../kit/db/index.ts';
import { createSecretBox } from '../kit/secrets/index.ts';
import { type Announcer, createAnnouncer } from '../notifications/index.ts';
import { createTenantService, type TenantService } from '../tenants/index.ts';
import { deleteWebhooksOf } from '../webhooks/index.ts';
import { enqueueForgetting } from './forget-member.ts';
import { openKeyring } from './open-keyring.ts';
import { explainDatabaseFailure } from './start-failure.ts';

/** Weights and the built console may be read by others. */
const PRIVATE_ENTRIES = { files: /^(tramontane\.db|server\.lock)/, dirs: /^blobs/ };

export type Platform = {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  tenants: TenantService;
  /** Raised by each change of who listens to what happens. */
  notificationSignal: Signal;
  announcer: Announcer;
  close(): Promise<void>;
};

/** Opens the database, upgrades it, and creates the services that the server and the operator's commands share. */
export function openPlatform(config: Config, log = createLog('silent')): Promise<Platform> {
  createPrivateDir(config.dataDir);
  restrictEntries(config.dataDir, PRIVATE_ENTRIES);
  return connectPlatform(config, (database) => migrate(database, migrations, version, isoMicros()), log);
}

/** `prepare` upgrades or checks the database before anything reads it. */
export async function connectPlatform(
  config: Config,
  prepare: (database: Database) => Promise<unknown>,
  log = createLog('silent'),
): Promise<Platform> {
  let database: Database | undefined;
  try {
    database = await openDatabase(config.database);
    await prepare(database);
    const opened = database;
    const keysSignal = createSignal(database, 'keys', systemClock);
    const audit = createAuditService({ database, now: systemClock });
    const notificationSignal = createSignal(database, 'notifications', systemClock);
    const announcer = createAnnouncer({ database, signal: notificationSignal, now: systemClock });
    const tenants = createTenantService({
      database,
      audit,
      keysSignal,
      now: systemClock,
      announce: announcer.announce,
      async forgetMember(tx, member) {
        await deleteOfUser(tx, member);
        await deleteWebhooksOf(tx, member);
        await enqueueForgetting(opened, tx, member);
      },
      box: createSecretBox(openKeyring(config, log)),
      ...(config.file.mail && { post: createInvitationPost(database, systemClock) }),
    });
    return {
      database,
      audit,
      keysSignal,
      tenants,
      notificationSignal,
      announcer,
      async close() {
        await keysSignal.stop();
        await opened.close();
      },
    };
  } catch (error) {
    await database?.close().catch(() => undefined);
    throw explainDatabaseFailure(error, config);
  }
}
