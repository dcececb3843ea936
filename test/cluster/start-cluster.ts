import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { CRASH_KEY, startServer } from '../crash/start-server.ts';
import { atEnd } from '../support/cleanup.ts';
import { createPostgresDatabase, temporaryDir } from '../support/databases.ts';
import { freePort } from '../support/temporal.ts';
import { startBalancer, startTcpBalancer } from './balance.ts';

export type Address = { url: string; key: string };

export const ADMIN_KEY = 'the-admin-key-of-the-cluster-tests-0123456789';

export type Cluster = Address & {
  databaseUrl: string;
  /** One server by its index, bypassing the balancer. */
  at(index: number): Address;
  /** The URLs of the servers that are up. */
  live(): string[];
  kill(index: number): Promise<void>;
  start(index: number): Promise<void>;
  /** Closes all connections of the servers to the database, as its restart does. Returns their number. */
  dropConnections(): Promise<number>;
  query<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
};

type Options = {
  servers?: number;
  file?: Record<string, unknown>;
  serverUrl: string;
  environment?: Record<string, string>;
  /** If set, workflows run on the Temporal there, and the gateways to it share one address too. */
  temporalAddress?: string;
};

/** Server processes on one PostgreSQL and one shared directory, behind one address. */
export async function startCluster(options: Options): Promise<Cluster> {
  const { servers = 3, file = {}, serverUrl, temporalAddress, environment = {} } = options;
  const dir = temporaryDir();
  const config = join(dir, 'tramontane.yaml');
  writeFileSync(config, JSON.stringify({ models: [], ...file }));
  const databaseUrl = await createPostgresDatabase(serverUrl);
  const observer = new pg.Pool({ connectionString: databaseUrl, max: 2, application_name: 'observer' });
  observer.on('error', () => undefined);
  atEnd(() => observer.end());
  const running: (Awaited<ReturnType<typeof startServer>> | undefined)[] = Array(servers).fill(undefined);
  const temporal =
    temporalAddress && (await planGateways(temporalAddress, servers, (index) => Boolean(running[index])));

  async function start(index: number): Promise<void> {
    running[index] = await startServer(join(dir, 'data'), config, {
      TRAMONTANE_DATABASE_URL: databaseUrl,
      TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      TRAMONTANE_LOG_LEVEL: 'warn',
      TRAMONTANE_CONSOLE: 'off',
      ...environment,
      ...(temporal ? temporal(index) : {}),
    });
  }

  async function kill(index: number): Promise<void> {
    const { child } = running[index] ?? {};
    running[index] = undefined;
    if (!child) return;
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  }

  // All at once: they race for the migrations and for the first organization.
  await Promise.all(running.map((_, index) => start(index)));
  atEnd(() => Promise.all(running.map((_, index) => kill(index))));
  const live = () => running.flatMap((server) => (server ? [server.url] : []));
  const query: Cluster['query'] = async (text, values) => (await observer.query(text, values)).rows;
  return {
    databaseUrl,
    url: await startBalancer(live),
    key: CRASH_KEY,
    at: (index) => ({ url: running[index]?.url ?? 'http://127.0.0.1:1', key: CRASH_KEY }),
    live,
    kill,
    start,
    async dropConnections() {
      const text = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'observer'`;
      return (await query(text)).length;
    },
    query,
  };
}

/** The settings of each server whose gateway to Temporal is one of several behind one address. */
async function planGateways(
  address: string,
  servers: number,
  isUp: (index: number) => boolean,
): Promise<(index: number) => Record<string, string>> {
  const ports = await Promise.all(Array.from({ length: servers }, () => freePort()));
  const shared = await startTcpBalancer(() => ports.filter((_, index) => isUp(index)));
  return (index) => ({
    TRAMONTANE_TEMPORAL_ADDRESS: address,
    TRAMONTANE_TEMPORAL_GATEWAY_PORT: String(ports[index]),
    TRAMONTANE_TEMPORAL_GATEWAY_URL: `http://127.0.0.1:${shared}`,
  });
}
