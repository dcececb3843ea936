import { type Clock, isoMicros } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { Consumer, UseRow } from './store/tables.ts';
import { addUse, findConnectorIds } from './store/uses.ts';
import type { Target } from './targets.ts';

export type UseNotes = {
  /** Counts a call. `error` is what the caller was told, of one that failed. */
  note(consumer: Consumer, target: Target, error?: string): void;
  /** Writes what was counted. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

type Noted = UseRow & { isStored: boolean };

const FLUSH_MS = 2000;
/** Of consumers and connectors between two writes; a call of one more is not counted. */
const KEYS_MAX = 10_000;
const ERROR_CHARACTERS_MAX = 500;

/** Counts calls in memory and writes the sums together: a call does not wait for it, and a crash loses seconds of counts. */
export function createUseNotes({ database, now, log }: { database: Database; now: Clock; log: Logger }): UseNotes {
  let noted = new Map<string, Noted>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  async function write(rows: readonly Noted[]): Promise<void> {
    const stored = rows.flatMap(({ isStored, connector_id }) => (isStored ? [connector_id] : []));
    await database.transaction(async (tx) => {
      // One that was deleted meanwhile leaves nothing behind.
      const present = await findConnectorIds(tx, [...new Set(stored)]);
      for (const { isStored, ...row } of rows) if (!isStored || present.has(row.connector_id)) await addUse(tx, row);
    });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const rows = [...noted.values()];
    noted = new Map();
    if (rows.length > 0)
      writing = writing
        .then(() => write(rows))
        .catch((error: unknown) => log.warn({ err: error }, 'uses of connectors could not be counted'));
    return writing;
  }

  return {
    note({ organization_id, workspace_id, user_id }, target, error) {
      const key = [target.id, organization_id, workspace_id, user_id].join(' ');
      const before = noted.get(key);
      if (!before && noted.size >= KEYS_MAX) return;
      const at = isoMicros(now);
      noted.set(key, {
        connector_id: target.id,
        organization_id,
        workspace_id,
        user_id,
        isStored: target.row !== undefined,
        calls: (before?.calls ?? 0) + 1,
        failures: (before?.failures ?? 0) + (error === undefined ? 0 : 1),
        last_used_at: at,
        last_failed_at: error === undefined ? (before?.last_failed_at ?? null) : at,
        last_error: error === undefined ? (before?.last_error ?? null) : error.slice(0, ERROR_CHARACTERS_MAX),
      });
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    },
    flush,
    close: flush,
  };
}
