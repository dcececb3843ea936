import type { Logger } from '../kit/base/log.ts';
import type { Db } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import type { Model } from '../models/index.ts';
import { ModelSettings, type StoredSettings } from './schema.ts';
import { openKeys, type TargetKeys } from './seal-keys.ts';
import { listStored, type StoredModelRow } from './store.ts';

type StoredModels = {
  /** Reads the table and serves what it says. A row that is broken is left out and explained. */
  load(): Promise<void>;
  problemOf(id: string): string | null;
  close(): Promise<void>;
};

const SHADOWED = 'The configuration file has a model of this id, which is served instead.';
export const BROKEN = 'Its settings cannot be read. Delete it, and add it again.';
export const KEY_LOST = 'The key of its server cannot be read any more. Enter it again.';

/** The models of the table with their engines, in memory. */
export function createStoredModels(ports: {
  db: Db;
  box: SecretBox;
  log: Logger;
  /** Whether the file or the program has a model of this id. */
  isReserved: (id: string) => boolean;
  open: (settings: StoredSettings, keys: TargetKeys) => Model;
  apply: (served: { model: Model; settings: StoredSettings }[]) => Promise<void>;
}): StoredModels {
  const { db, box, log } = ports;
  type Opened = { stamp: string; model: Model; settings: StoredSettings };
  let opened = new Map<string, Opened>();
  let problems = new Map<string, string>();
  let loading: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    const [next, found] = [new Map<string, Opened>(), new Map<string, string>()];
    for (const row of await listStored(db)) {
      const result = openRow(row);
      if (typeof result === 'string') found.set(row.id, result);
      else next.set(row.id, result);
    }
    const before = opened;
    opened = next;
    problems = found;
    await ports.apply([...next.values()]);
    for (const [id, { model }] of before) if (next.get(id)?.model !== model) await model.engine.close();
  }

  /** The open model, or why there is none. */
  function openRow(row: StoredModelRow): Opened | string {
    if (ports.isReserved(row.id)) return SHADOWED;
    const stamp = `${row.settings} ${row.sealed_keys}`;
    const before = opened.get(row.id);
    if (before?.stamp === stamp) return before;
    const settings = readSettings(row);
    const keys = openKeys(box, row);
    if (!settings) return BROKEN;
    if (!keys) return KEY_LOST;
    try {
      return { stamp, settings, model: ports.open(settings, keys) };
    } catch (error) {
      log.error({ err: error, model: row.id }, 'a stored model could not be opened');
      return error instanceof Error ? error.message : String(error);
    }
  }

  return {
    // One load at a time: an older list must not replace a newer one.
    load() {
      loading = loading.then(read, read);
      return loading;
    },
    problemOf: (id) => problems.get(id) ?? null,
    async close() {
      for (const { model } of opened.values()) await model.engine.close();
    },
  };
}

/** Undefined where the row does not hold settings that this program understands. */
export function readSettings({ settings }: StoredModelRow): StoredSettings | undefined {
  try {
    const parsed = ModelSettings.safeParse(JSON.parse(settings));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
