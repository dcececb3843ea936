import type { Socket } from 'node:net';
import { createRefusalLog } from './admin/index.ts';
import { roomRoutes } from './app.ts';
import { trackInteractiveRequests } from './batch/index.ts';
import { createMaintenance } from './compose/create-maintenance.ts';
import { limitStorage } from './compose/limit-storage.ts';
import type { OnPullProgress } from './compose/locate-weights.ts';
import { lockDataDir } from './compose/lock-data-dir.ts';
import { openHttpServer } from './compose/open-http-server.ts';
import { openPlatform, type Platform } from './compose/open-platform.ts';
import { openServices } from './compose/open-services.ts';
import { explainStartFailure } from './compose/start-failure.ts';
import type { Config } from './config/config.ts';
import { listSecrets } from './config/list-secrets.ts';
import { version } from './config/version.ts';
import { type AppProgress, appPaths, appRoutes, type ConsoleApp, closedApp, openApp } from './console/index.ts';
import { guidePaths, guideRoutes, openGuide } from './guide/index.ts';
import { systemClock } from './kit/base/clock.ts';
import { createLog, type Logger } from './kit/base/log.ts';
import {
  type AnyRoute,
  createIdempotency,
  createMetrics,
  createTracing,
  openDoor,
  type ReadMetrics,
  type RenderedMetrics,
} from './kit/http/index.ts';
import { createTasks } from './kit/tasks/index.ts';
import { warnAtStart } from './operator/warn-at-start.ts';
import { type BootstrapResult, createAuthenticator } from './tenants/index.ts';

export type { AppProgress } from './console/index.ts';

/** A client that sends nothing for so long opens a new connection for its next request. */
const RETIRE_MS = 10_000;

export type RunningServer = {
  url: string;
  bootstrap: BootstrapResult;
  /** Drains and closes everything; a second call waits for the first. */
  stop(): Promise<void>;
  /** For one of several processes behind a port: takes a connection that was accepted elsewhere. */
  accept(connection: Socket): void;
  /** Lets other processes take over: answers what still comes on the old connections, and ends each after it. */
  retire(): Promise<void>;
  readMetrics(): Promise<ReadMetrics>;
};

export type StartOptions = {
  log?: Logger;
  checkResponses?: boolean;
  onPullProgress?: OnPullProgress;
  /** Serves the web console, which is built first where needed; left out, there is none. */
  console?: { sources?: string; onProgress?: (progress: AppProgress) => void };
  /** The checkout whose pages the guide shows, if not this one. */
  guideRoot?: string;
  /** Another process listens, and hands over its connections. */
  isShared?: boolean;
  /** Adds what other processes of this server measured. */
  mergeMetrics?: (own: ReadMetrics) => Promise<RenderedMetrics>;
  /** Rooms that only tests have. */
  extraRoutes?: (platform: Platform) => AnyRoute[];
};

/** The composition root: listen → config → database → engines → services → app → stored work. */
export async function startServer(config: Config, options: StartOptions = {}): Promise<RunningServer> {
  const log = options.log ?? createLog(config.logLevel, undefined, listSecrets(config));
  /** In the order of opening; closed in the opposite order. */
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) await close();
  };
  try {
    if (config.database.kind === 'sqlite') closers.push(lockDataDir(config.dataDir));
    // Probes are answered from here on, however long the database takes to be opened or upgraded.
    const door = options.isShared ? undefined : await openDoor(config);
    if (door) closers.push(door.close);
    const platform = await openPlatform(config, log);
    closers.push(platform.close);
    const bootstrap = await bootstrapPlatform(config, platform, log);

    const { database, keysSignal, tenants } = platform;
    const authenticator = createAuthenticator(database, keysSignal, systemClock, tenants.vouching);
    const { authenticate, authority, clientTokens } = authenticator;
    await authenticator.start();
    closers.push(authenticator.stop);

    const metrics = createMetrics();
    const interactive = trackInteractiveRequests();
    const { onPullProgress, mergeMetrics } = options;
    const access = { authenticate, authority, clientTokens };
    const opened = await openServices({ config, platform, log, metrics, ...access, interactive, onPullProgress });
    const { services, metering } = opened;
    closers.push(opened.close);

    const tracing = openTracing(config, log);
    if (tracing) closers.push(tracing.stop);
    const idempotency = createIdempotency(platform.database, systemClock);
    const maintenance = await createMaintenance({ config, platform, services, metering, idempotency, log });
    closers.push(maintenance.stop);
    const refusals = createRefusalLog({ ...platform, now: systemClock, log });
    closers.push(refusals.stop);
    const consoleApp = openConsoleApp(config, options.console, log);
    closers.push(consoleApp.stop);
    const guide = openGuide({ paths: guidePaths(config.dataDir, options.guideRoot), log });
    closers.push(guide.stop);

    const http = openHttpServer({
      config,
      apiRoutes: [...limitStorage(roomRoutes(services), metering.storage), ...(options.extraRoutes?.(platform) ?? [])],
      pageRoutes: [...appRoutes(consoleApp), ...guideRoutes(guide)],
      metrics: mergeMetrics ? async () => mergeMetrics(await metrics.read()) : metrics.dump,
      async checkReady() {
        await platform.database.ping();
        await services.workflows.checkReady();
      },
      authenticate,
      access: authority,
      idempotency,
      observers: [
        metrics.observer,
        refusals.observer,
        interactive.observer,
        services.webConsole.errors.observer,
        services.webConsole.mcpCallers.observer,
        ...(tracing ? [tracing.observer] : []),
      ],
      checkResponses: options.checkResponses ?? false,
      log,
    });
    closers.push(() => http.drain(config.file.server.drain_seconds * 1000));
    const accept = options.isShared ? await http.acceptShared() : refuseConnection;
    const url = door ? await http.listen(door, door) : '';
    await opened.startWork();
    maintenance.start();
    consoleApp.start();
    let stopping: Promise<void> | undefined;
    return {
      ...{ url, bootstrap, accept, readMetrics: metrics.read },
      retire: () => http.retire(RETIRE_MS),
      stop: () => (stopping ??= closeAll()),
    };
  } catch (error) {
    await closeAll();
    throw explainStartFailure(error, config);
  }
}

function refuseConnection(): never {
  throw new Error('This server listens on a port of its own.');
}

async function bootstrapPlatform(config: Config, platform: Platform, log: Logger): Promise<BootstrapResult> {
  const { database, tenants, keysSignal } = platform;
  const tasks = createTasks({ database, now: systemClock });
  await tasks.beginCautiously();
  // The lock on the data dir proves that no other server runs, so tasks of a crashed one need not wait for their leases.
  if (database.kind === 'sqlite') await tasks.endLeases();
  const bootstrap = await tenants.bootstrap(config.bootstrap);
  await warnAtStart(config, platform, bootstrap, log);
  await keysSignal.start();
  return bootstrap;
}

/** Sends a trace of each request to the configured collector, if there is one. */
function openTracing({ otlpEndpoint: endpoint }: Config, log: Logger) {
  if (!endpoint) return undefined;
  return createTracing({ endpoint, serviceName: 'tramontane', serviceVersion: version, now: systemClock, log });
}

/** The pages of the console; a notice where it is switched off. */
function openConsoleApp(config: Config, options: StartOptions['console'], log: Logger): ConsoleApp {
  if (!options || !config.console) return closedApp();
  const { sources, onProgress } = options;
  return openApp({ paths: appPaths(config.dataDir, sources), now: systemClock, log, onProgress });
}
