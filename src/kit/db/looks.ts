import { AsyncLocalStorage } from 'node:async_hooks';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/** How late a process notices what others wrote when no wake-up arrived. Signals are trusted for a little over two of these. */
const EVERY_MS = 400;

type Kind = 'sqlite' | 'postgres';

/** One thing to look at: selects a JSON object, as text, with a number or null for each of the keys in a JSON array. */
export type LookSubject = (kind: Kind, keys: string) => RawBuilder<string | null>;

/** Called before each look, so that it can note the time; what it returns gets the value, also when that is the same again. */
export type Look = () => (value: number | undefined) => void;

/**
 * What a process must notice in its database even if no wake-up arrives: one statement for all of it. On SQLite that
 * statement runs only when another connection has written; otherwise the last values still hold.
 */
export type Looks = {
  follow(subject: LookSubject, key: string, look: Look): () => void;
  close(): Promise<void>;
};

type Options = {
  kind: Kind;
  db: Db;
  /** Changes with each write of another connection; undefined where the database cannot tell. */
  version: () => number | undefined;
  everyMs?: number;
};

export function createLooks({ kind, db, version, everyMs = EVERY_MS }: Options): Looks {
  const followed = new Map<LookSubject, Map<string, Set<Look>>>();
  // The first to follow does so within a request; the timer must not keep its context.
  const outside = AsyncLocalStorage.snapshot();
  let seen: { version: number; values: Map<LookSubject, Values> } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function read(): Promise<Map<LookSubject, Values>> {
    const before = version();
    if (before !== undefined && before === seen?.version) return seen.values;
    const subjects = [...followed];
    const columns = subjects.map(
      ([subject, keys], at) => sql`${subject(kind, JSON.stringify([...keys.keys()]))} as ${sql.ref(`look_${at}`)}`,
    );
    const { rows } = await sql<Record<string, string | null>>`select ${sql.join(columns)}`.execute(db);
    const values = new Map(subjects.map(([subject], at) => [subject, parseValues(rows[0]?.[`look_${at}`])]));
    if (before !== undefined) seen = { version: before, values };
    return values;
  }

  async function look(): Promise<void> {
    const begun = [...followed].flatMap(([subject, keys]) =>
      [...keys].flatMap(([key, all]) => [...all].map((begin) => ({ subject, key, tell: begin() }))),
    );
    const values = await read();
    for (const { subject, key, tell } of begun) tell(values.get(subject)?.[key] ?? undefined);
  }

  function schedule(): void {
    if (timer || looking || followed.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      // The next look repeats a failed one; who needs to know that it failed compares the time of the last.
      looking = look()
        .catch(() => undefined)
        .then(() => {
          looking = undefined;
          schedule();
        });
    }, everyMs);
    timer.unref();
  }

  function forget(subject: LookSubject, key: string, look: Look): void {
    const keys = followed.get(subject);
    const all = keys?.get(key);
    all?.delete(look);
    if (all?.size === 0) keys?.delete(key);
    if (keys?.size === 0) followed.delete(subject);
    if (followed.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    follow(subject, key, look) {
      const keys = followed.get(subject) ?? new Map<string, Set<Look>>();
      followed.set(subject, keys);
      keys.set(key, (keys.get(key) ?? new Set()).add(look));
      seen = undefined;
      outside(schedule);
      return () => forget(subject, key, look);
    },
    async close() {
      followed.clear();
      clearTimeout(timer);
      timer = undefined;
      await looking;
    },
  };
}

type Values = Record<string, number | null>;

const parseValues = (text: string | null | undefined): Values => (text ? (JSON.parse(text) as Values) : {});

/** A subject whose value is found for each key by itself: `value` selects it, with the key as `look.key`. */
export function lookForEach(value: RawBuilder<unknown>): LookSubject {
  return (kind, keys) =>
    kind === 'postgres'
      ? sql`(select json_object_agg(look.key, ${value})::text from json_array_elements_text(${keys}::json) as look(key))`
      : sql`(select json_group_object(look.key, ${value}) from (select value as key from json_each(${keys})) as look)`;
}
