import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child, StartChild } from '../../bench/children.ts';
import { ask } from './ask.ts';

const SERVE = new URL('../processes/serve.ts', import.meta.url);
const API_KEY = 'the-api-key-of-the-trust-campaign-0123456789';
const ADMIN_KEY = 'the-admin-key-of-the-trust-campaign-012345678';

export type Served = {
  child: Child;
  url: string;
  /** The credentials for the routes of a surface: a key, or the owner's cookie. */
  credentials: Record<string, Record<string, string>>;
  /** CPU time of the server's process while `work` runs. */
  cpuMs<T>(work: () => Promise<T>): Promise<[T, number]>;
};

/** A server in a process of its own, on an empty data dir, with the given models file. */
export async function startServed(start: StartChild, directory: string, config: object): Promise<Served> {
  const file = join(directory, 'tramontane.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config));
  const child = start(SERVE, {
    role: 'free',
    env: {
      TRAMONTANE_DATA_DIR: join(directory, 'data'),
      TRAMONTANE_CONFIG: file,
      TRAMONTANE_BOOTSTRAP_API_KEY: API_KEY,
      TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      NODE_COMPILE_CACHE: join(tmpdir(), 'tramontane-test-compile-cache'),
    },
  });
  const { url, link } = await child.ask<{ url: string; link: string }>('address');
  const cpuMicros = () => child.ask<number>('cpuMicros');
  return {
    child,
    url,
    credentials: {
      standard: { authorization: `Bearer ${API_KEY}` },
      admin: { 'x-api-key': ADMIN_KEY },
      console: await signIn(url, link),
    },
    async cpuMs(work) {
      const before = await cpuMicros();
      const result = await work();
      return [result, ((await cpuMicros()) - before) / 1000];
    },
  };
}

async function signIn(url: string, link: string): Promise<Record<string, string>> {
  const { status, headers, text } = await ask(`${url}${link.replace('/console/link/', '/console/api/links/')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ password: 'correct horse battery' })),
  });
  if (status !== 200) throw new Error(`The link of the first start was refused: ${status} ${text}`);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  const { csrf_token } = JSON.parse(text) as { csrf_token: string };
  return { cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': csrf_token };
}
