import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/config.ts';
import { startScript } from '../../../src/conversations/conversations-for-tests.ts';
import { openExistingPlatform } from '../../../src/operator/open-existing-platform.ts';
import { CRASH_KEY, type Started, startServer } from '../../../test/crash/start-server.ts';
import { call } from '../../../test/support/call.ts';

/** A user in a workspace, and the admin key of its organization. */
export type Caller = { key: string; adminKey: string; workspaceId: string; userId: string };

export type Servers = {
  /** The server that the n-th request goes to. */
  url(n: number): string;
  caller: Caller;
  /** A caller of another organization. */
  stranger: Caller;
  /** Ends all processes, by SIGKILL or gracefully, and starts as many again on the same data. */
  restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Sends SIGKILL to all of them at once. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

const ADMIN_KEY = 'the-admin-key-of-the-idempotency-part-0123456789';

export async function startServers(directory: string, count: number, databaseUrl?: string): Promise<Servers> {
  const { upstream } = await startScript();
  const config = join(directory, 'tramontane.yaml');
  const studio = { id: 'studio', engine: 'upstream', url: upstream.url, capabilities: { audio_speech: true } };
  writeFileSync(config, JSON.stringify({ models: [{ id: 'small', engine: 'upstream', url: upstream.url }, studio] }));
  const data = join(directory, 'data');
  const environment = {
    ...(databaseUrl ? { TRAMONTANE_DATABASE_URL: databaseUrl } : {}),
    TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
    TRAMONTANE_LOG_LEVEL: 'error',
    TRAMONTANE_CONSOLE: 'off',
    TRAMONTANE_AUTO_PULL: 'off',
  };
  let running: Started[] = [];
  const start = async () => {
    running = await Promise.all(Array.from({ length: count }, () => startServer(data, config, environment)));
  };
  const end = async (signal: NodeJS.Signals) => {
    await Promise.all(
      running.splice(0).map(async ({ child }) => {
        const gone = once(child, 'close');
        child.kill(signal);
        await gone;
      }),
    );
  };
  await start();
  const url = (n: number) => running[n % count]?.url ?? 'http://127.0.0.1:1';
  const strangerKeys = await addStranger({ ...environment, TRAMONTANE_DATA_DIR: data, TRAMONTANE_CONFIG: config });
  return {
    url,
    caller: await describe(url(0), CRASH_KEY, ADMIN_KEY),
    stranger: await describe(url(0), strangerKeys.key, strangerKeys.adminKey),
    async restart(signal) {
      await end(signal);
      await start();
    },
    kill: () => end('SIGKILL'),
    start,
  };
}

async function describe(url: string, key: string, adminKey: string): Promise<Caller> {
  const me = (await call({ url, key }, '/v1/users/me')).body as { id: string; workspace: { id: string } };
  return { key, adminKey, workspaceId: me.workspace.id, userId: me.id };
}

/** Opens the database beside the servers, as an operator command does. */
async function addStranger(environment: Record<string, string>): Promise<{ key: string; adminKey: string }> {
  const { tenants, close } = await openExistingPlatform(loadConfig(environment));
  const ownerEmail = 'owner@elsewhere.test';
  const organization = (await tenants.createOrganization({ name: 'Elsewhere', plan: 'enterprise', ownerEmail })).id;
  const { value: key } = await tenants.keys.create({ kind: 'standard', organization, user: ownerEmail });
  const { value: adminKey } = await tenants.keys.create({ kind: 'admin', organization });
  await close();
  return { key, adminKey };
}
