import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import type { TestDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import type { FileConfig } from '../config/schema.ts';

export type LimitedServer = TestServer & { upstream: ScriptedUpstream };

/** A server with these limits and an unused key, in front of a scripted upstream. */
export async function serveLimited(
  database: TestDatabase,
  limits: Partial<FileConfig['limits']>,
  upstream?: ScriptedUpstream,
): Promise<LimitedServer> {
  const scripted = upstream ?? (await startUpstream());
  const capabilities = { completion_chat: true, completion_fim: true };
  const common = { engine: 'upstream', url: scripted.url, capabilities };
  const server = await startTestServer(database, {
    file: {
      limits,
      models: [
        { id: 'small', price: { prompt: 1, completion: 10 }, ...common },
        { id: 'free', ...common },
      ],
    },
  });
  return { ...server, upstream: scripted, key: await newKey(server) };
}

export async function newKey({ platform }: TestServer): Promise<string> {
  return (await platform.tenants.keys.create({ kind: 'standard', name: randomUUID() })).value;
}

export const hello = { model: 'small', messages: [{ role: 'user', content: 'hello' }] };

export const chat = (server: Pick<TestServer, 'url' | 'key'>, over: Record<string, unknown> = {}) =>
  call(server, '/v1/chat/completions', { body: { ...hello, ...over } });

export const retryAfter = ({ headers }: { headers: Headers }) => Number(headers.get('retry-after'));

export function rateHeaders({ headers }: { headers: Headers }): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-ratelimit-')));
}

/** Freezes the clock until a test advances it; timers and sockets go on. */
export function holdTheClock(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-15T12:00:00Z') }));
  afterEach(() => void vi.useRealTimers());
}

export const advance = (ms: number) => vi.setSystemTime(Date.now() + ms);
