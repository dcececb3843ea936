import pino from 'pino';
import { loadConfig } from '../../../src/config/config.ts';
import { startServer } from '../../../src/main.ts';
import { call } from '../../../test/support/call.ts';
import type { Copy } from './ground.ts';
import { type Kept, madeAtMs } from './releases.ts';

/** Fields that depend on the time, on connections or on the program itself, and not on stored data. */
const PASSING = new Set(['active', 'is_active', 'active_worker_count', 'created', 'total_duration_ms', 'last_used']);
const WORDS_MAX = 300;

/**
 * Starts this program on the copy and returns where its reads differ from those of the release. The clock is set to the
 * time of the release: otherwise runs would time out and old data would be pruned.
 */
export function openReleased(copy: Copy, kept: Kept, config: string): Promise<string[]> {
  return atTime(madeAtMs(kept), () => openNewest(copy, kept.reads, config));
}

async function atTime<T>(thenMs: number, work: () => Promise<T>): Promise<T> {
  const real = Date.now;
  const sinceMs = real() - thenMs;
  Date.now = () => real() - sinceMs;
  try {
    return await work();
  } finally {
    Date.now = real;
  }
}

export async function openNewest({ environment }: Copy, reads: Kept['reads'], config: string): Promise<string[]> {
  const server = await startServer(
    loadConfig({
      TRAMONTANE_PORT: '0',
      TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
      TRAMONTANE_CONFIG: config,
      TRAMONTANE_AUTO_PULL: 'off',
      ...environment,
    }),
    { checkResponses: true, log: pino({ level: 'silent' }) },
  );
  try {
    const wrong: string[] = [];
    for (const { path, key, body } of reads) {
      const answer = await call({ url: server.url, key }, path);
      const differs = answer.status === 200 ? findDifference(body, answer.body, '') : answer.text;
      if (differs !== undefined) wrong.push(`${path}: ${answer.status} ${differs.slice(0, WORDS_MAX)}`);
    }
    return wrong;
  } finally {
    await server.stop();
  }
}

/** Newer programs may add fields, but keep every earlier one. */
export function findDifference(before: unknown, now: unknown, at: string): string | undefined {
  if (Array.isArray(before) && Array.isArray(now) && before.length !== now.length)
    return `${at}: ${before.length} became ${now.length}`;
  if (typeof before === 'object' && before !== null && typeof now === 'object' && now !== null) {
    return Object.entries(before)
      .filter(([key]) => !PASSING.has(key))
      .map(([key, value]) => findDifference(value, (now as Record<string, unknown>)[key], `${at}.${key}`))
      .find((difference) => difference !== undefined);
  }
  return before === now ? undefined : `${at}: ${JSON.stringify(before)} became ${JSON.stringify(now)}`;
}
