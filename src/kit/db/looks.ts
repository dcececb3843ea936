import { AsyncLocalStorage } from 'node:async_hooks';
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
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
  /** A cheaper way than through the pool, while there is one. */
  send?: (query: CompiledQuery<Row>) => Promise<{ rows: Row[] }> | undefined;
  everyMs?: number;
};

export function createLooks({ kind, db, version, send, everyMs = EVERY_MS }: Options): Looks {
  const followed = new Map<LookSubject, Map<string, Set<Look>>>();
  // The first to follow does so within a request; the timer must not keep its context.
  const outside = AsyncLocalStorage.snapshot();
  let plan: Plan | undefined;
  let seen: { version: number; values: Values[] } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  function planLook(): Plan {
    const subjects = [...followed];
    return {
      subjects: subjects.map(([subject, keys]) => [subject, JSON.stringify([...keys.keys()])]),
      looks: subjects.flatMap(([, keys], at) =>
        [...keys].flatMap(([key, all]) => [...all].map((begin) => ({ at, key, begin }))),
      ),
      texts: subjects.map(() => ''),
      values: subjects.map(() => ({})),
      query: undefined,
    };
  }

  /** Built once for what is followed: a process that nobody uses does hardly anything else. */
  function buildQuery({ subjects }: Plan): CompiledQuery<Row> {
    const columns = subjects.map(([subject, keys], at) => sql`${subject(kind, keys)} as ${sql.ref(`look_${at}`)}`);
    return sql<Row>`select ${sql.join(columns)}`.compile(db);
  }

  async function read(asked: Plan): Promise<Values[]> {
    const { texts, values } = asked;
    const before = version();
    if (before !== undefined && before === seen?.version) return seen.values;
    asked.query ??= buildQuery(asked);
    const { query } = asked;
    const { rows } = await (send?.(query) ?? db.getExecutor().executeQuery<Row>(query));
    for (const at of texts.keys()) {
      const text = rows[0]?.[`look_${at}`] ?? '';
      if (text === texts[at]) continue;
      texts[at] = text;
      values[at] = text === '' ? {} : (JSON.parse(text) as Values);
    }
    // Somebody may have begun to follow meanwhile.
    if (before !== undefined && plan === asked) seen = { version: before, values };
    return values;
  }

  async function look(): Promise<void> {
    plan ??= planLook();
    const asked = plan;
    const tells = asked.looks.map(({ begin }) => begin());
    const values = await read(asked);
    for (const [i, { at, key }] of asked.looks.entries()) tells[i]?.(values[at]?.[key] ?? undefined);
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
    plan = undefined;
    seen = undefined;
    if (followed.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    follow(subject, key, look) {
      const keys = followed.get(subject) ?? new Map<string, Set<Look>>();
      followed.set(subject, keys);
      keys.set(key, (keys.get(key) ?? new Set()).add(look));
      plan = undefined;
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
type Row = Record<string, string | null>;

/** Who looks at which column of the statement of all that is followed, and what it said last. */
type Plan = {
  subjects: [LookSubject, keys: string][];
  query: CompiledQuery<Row> | undefined;
  looks: { at: number; key: string; begin: Look }[];
  texts: string[];
  values: Values[];
};

/** A subject whose value is found for each key by itself: `value` selects it, with the key as `look.key`. */
export function lookForEach(value: RawBuilder<unknown>): LookSubject {
  return (kind, keys) =>
    kind === 'postgres'
      ? sql`(select json_object_agg(look.key, ${value})::text from json_array_elements_text(${keys}::json) as look(key))`
      : sql`(select json_group_object(look.key, ${value}) from (select value as key from json_each(${keys})) as look)`;
}
