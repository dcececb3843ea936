import type { Clock } from '../../kit/base/clock.ts';
import type { Tx } from '../../kit/db/index.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import { listContentSettings } from '../store/contents.ts';

/** Which workspaces keep what is said, in memory. */
export type ContentSwitch = {
  /** Whether this one is kept; the same for all that has the same id. */
  keeps(workspaceId: string, id: string): boolean;
  /** With the commit of the transaction, in all processes. */
  raise(tx: Tx): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function createContentSwitch(ports: { database: Database; now: Clock; isAllowed: boolean }): ContentSwitch {
  const { database, now, isAllowed } = ports;
  const signal = createSignal(database, 'span-contents', now);
  let rates: ReadonlyMap<string, number> = new Map();
  signal.onChange(async () => {
    const rows = await listContentSettings(database.db);
    rates = new Map(rows.flatMap((row) => (row.enabled ? [[row.workspace_id, row.sample_rate] as const] : [])));
  });
  return {
    keeps(workspaceId, id) {
      if (rates.size === 0 || !isAllowed) return false;
      const rate = rates.get(workspaceId);
      // While changes cannot be heard of, nothing is kept.
      return rate !== undefined && signal.isFresh() && (rate >= 1 || shareOf(id) < rate);
    },
    raise: (tx) => signal.raise(tx),
    start: () => signal.start(),
    stop: () => signal.stop(),
  };
}

/** From 0 to 1, the same for the same id (FNV-1a). */
function shareOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  // The low bits of a short text hardly differ.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 32;
}
