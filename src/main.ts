import { createRefusalLog } from './admin/index.ts';
import { errorStyles, openApiOf, roomRoutes } from './app.ts';
import { lockDataDir } from './compose/lock-data-dir.ts';
import type { OnPullProgress } from './compose/open-models.ts';
import { openPlatform, type Platform } from './compose/open-platform.ts';
import { openServices } from './compose/open-services.ts';
import { explainStart } from './compose/start-failure.ts';
import { createArrivals } from './compose/track-arrivals.ts';
import type { Config } from './config/config.ts';
import { listSecrets } from './config/list-secrets.ts';
import { version } from './config/version.ts';
import { type AppProgress, appPlaces, appRoutes, type ConsoleApp, closedApp, openApp } from './console/index.ts';
import { systemClock } from './kit/base/clock.ts';
import { createLog, type Logger } from './kit/base/log.ts';
import type { Database } from './kit/db/index.ts';
import {
  type AnyRoute,
  createHttpServer,
  createIdempotency,
  createMetrics,
  createTracing,
  type HttpObserver,
  systemRoutes,
} from './kit/http/index.ts';
import { createTaskRunner, createTasks } from './kit/tasks/index.ts';
import { findMissingContent, SHARE_FILES } from './operator/find-missing-content.ts';
import { type BootstrapResult, createAuthenticator } from './tenants/index.ts';

export type { AppProgress } from './console/index.ts';

const MAINTENANCE = 'maintenance';
const MAINTENANCE_INTERVAL_MS = 60 * 60 * 1000;
const MAINTENANCE_STOP_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION = { type: 'OTHER', metadata: { name: 'retention' } } as const;

export type RunningServer = {
  url: string;
  bootstrap: BootstrapResult;
  /** Drains and closes everything; a second call waits for the first. */
  stop(): Promise<void>;
};

export type StartOptions = {
  log?: Logger;
  checkResponses?: boolean;
  /** Hears how far the fetching of missing weights is. */
  onPullProgress?: OnPullProgress;
  /** Serves the console, and builds it first where it must be; left out, there is none. */
  console?: { sources?: string; onProgress?: (progress: AppProgress) => void };
  /** Rooms that only tests have. */
  extraRoutes?: (platform: Platform) => AnyRoute[];
};

/** What was opened, in its order; it is closed the other way round. */
type Closers = (() => Promise<unknown> | unknown)[];

/** The composition root: config → database → engines → services → app → listen. */
export async function startServer(config: Config, options: StartOptions = {}): Promise<RunningServer> {
  const log = options.log ?? createLog(config.logLevel, undefined, listSecrets(config));
  const closers: Closers = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) await close();
  };
  try {
    if (config.database.kind === 'sqlite') closers.push(lockDataDir(config.dataDir));
    const platform = await openPlatform(config);
    closers.push(() => platform.close());
    const { database, keysSignal, tenants } = platform;
    // The lock on the data dir says that nobody else is there, so what a dead server left need not wait.
    if (database.kind === 'sqlite') await createTasks({ database, now: systemClock }).releaseOrphans();
    const bootstrap = await tenants.bootstrap(config.bootstrap);
    await warnOfUnusedKeys(config, platform, bootstrap, log);
    await warnOfMissingContent(config, platform, log);
    await keysSignal.start();

    const authenticator = createAuthenticator(database, keysSignal, systemClock);
    await authenticator.start();
    closers.push(() => authenticator.stop());
    const metrics = createMetrics();
    const arrivals = createArrivals();
    const { services, metering, close } = await openServices({
      config,
      platform,
      log,
      metrics,
      authenticate: authenticator.authenticate,
      arrivals,
      onPullProgress: options.onPullProgress,
    });
    closers.push(close);

    const rooms = [...roomRoutes(services), ...(options.extraRoutes?.(platform) ?? [])];
    const tracing = startTracing(config, log, closers);
    const idempotency = createIdempotency(database, systemClock);
    await startMaintenance({
      database,
      log,
      closers,
      jobs: {
        'forget-idempotency-keys': idempotency.sweep,
        'forget-old-usage': () => metering.prune(),
        'forget-conversation-runs': () => services.conversations.prune(),
        'remove-expired-files': () => services.files.prune(),
        'prune-audit-log': () => pruneAuditLog(config, platform, log),
        'forget-batch-answers': () => services.batch.prune(),
        'remove-unused-samples': () => services.voices.prune(),
        'forget-ended-executions': () => services.workflows.prune(),
        'forget-ended-sessions': () => services.webConsole.prune(),
      },
    });
    const refusals = createRefusalLog({ ...platform, now: systemClock, log });
    closers.push(refusals.stop);
    const app = openConsole(config, options.console, log);
    closers.push(app.stop);
    let document: unknown;
    const http = createHttpServer({
      routes: [
        ...rooms,
        ...appRoutes(app),
        ...systemRoutes({
          metrics: metrics.dump,
          // Built when first asked for: a start pays nothing for it.
          openApi: () => (document ??= openApiOf(rooms)),
          checkReady: async () => {
            if (http.isDraining()) throw new Error('draining');
            await database.ping();
            await services.workflows.checkReady();
          },
        }),
      ],
      authenticate: authenticator.authenticate,
      log,
      idempotency,
      errorStyles,
      observers: [
        metrics.observer,
        refusals.observer,
        arrivals.observer,
        services.webConsole.errors.observer,
        ...tracing,
      ],
      host: config.host,
      allowedHosts: [...config.allowedHosts, ...publicHost(config.publicUrl)],
      trustedProxies: config.trustedProxies,
      bodyBytesMax: config.file.server.body_limit_mib * 1024 * 1024,
      heartbeatMs: config.file.server.heartbeat_seconds * 1000,
      checkResponses: options.checkResponses ?? false,
    });
    closers.push(() => http.drain(config.file.server.drain_seconds * 1000));
    const url = await http.app.listen({ host: config.host, port: config.port });
    app.start();
    let stopping: Promise<void> | undefined;
    return { url, bootstrap, stop: () => (stopping ??= closeAll()) };
  } catch (error) {
    await closeAll();
    throw explainStart(error, config);
  }
}

function openConsole(config: Config, options: StartOptions['console'], log: Logger): ConsoleApp {
  if (!options || !config.console) return closedApp();
  const places = appPlaces(config.dataDir, options.sources);
  return openApp({ places, now: systemClock, log, onProgress: options.onProgress });
}

function startTracing({ otlpEndpoint }: Config, log: Logger, closers: Closers): HttpObserver[] {
  if (!otlpEndpoint) return [];
  const tracing = createTracing({
    endpoint: otlpEndpoint,
    serviceName: 'tramontane',
    serviceVersion: version,
    now: systemClock,
    log,
  });
  closers.push(() => tracing.stop());
  return [tracing.observer];
}

/** Jobs that keep the database small, one process at a time whatever their number. */
async function startMaintenance(options: {
  database: Database;
  log: Logger;
  closers: Closers;
  jobs: Record<string, () => Promise<unknown>>;
}): Promise<void> {
  const { database, log, closers, jobs } = options;
  const tasks = createTasks({ database, now: systemClock });
  // In one order, whatever the release: servers that start together then never wait for each other.
  const names = Object.keys(jobs).sort();
  await tasks.every(names.map((name) => ({ queue: MAINTENANCE, name, intervalMs: MAINTENANCE_INTERVAL_MS })));
  const runner = createTaskRunner({
    database,
    now: systemClock,
    log,
    queues: {
      [MAINTENANCE]: {
        concurrency: 1,
        handler: async ({ payload }) => void (await jobs[(payload as { name: string }).name]?.()),
      },
    },
  });
  runner.start();
  closers.push(() => runner.stop(MAINTENANCE_STOP_MS));
}

async function pruneAuditLog({ file }: Config, { audit }: Platform, log: Logger): Promise<void> {
  const days = file.audit.retention_days;
  if (days === undefined) return;
  const before = new Date(systemClock() - days * DAY_MS).toISOString();
  const { broken } = await audit.prune({ before, actor: RETENTION });
  for (const { organization_id, log_id, problem } of broken)
    log.error({ organization_id, log_id, problem }, 'The audit log is broken; nothing of it was let go.');
}

async function warnOfUnusedKeys(
  config: Config,
  { tenants }: Platform,
  bootstrap: BootstrapResult,
  log: Logger,
): Promise<void> {
  if (bootstrap.created) return;
  for (const [name, value] of [
    ['TRAMONTANE_BOOTSTRAP_API_KEY', config.bootstrap.apiKey],
    ['TRAMONTANE_BOOTSTRAP_ADMIN_KEY', config.bootstrap.adminKey],
  ] as const) {
    if (value && !(await tenants.keys.isKnown(value))) {
      log.warn(
        `${name} was ignored: this platform was set up before, with another key. Make a new key with "tramontane keys create".`,
      );
    }
  }
}

async function warnOfMissingContent(config: Config, { database }: Platform, log: Logger): Promise<void> {
  const missing = database.kind === 'postgres' && (await findMissingContent(database, config.dataDir));
  if (missing) log.error(`${missing} ${SHARE_FILES}`);
}

function publicHost(publicUrl: string | undefined): string[] {
  return publicUrl ? [new URL(publicUrl).hostname] : [];
}
