import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { uuid } from '../../base/ids.ts';
import { noteStatement } from '../statement-channel.ts';
import { createLocalWakeups, type Wakeups } from '../wakeups.ts';

const CHANNEL = 'tramontane';
const NOTIFY = 'select pg_notify($1, $2)';
const BATCH_MS = 5;
/** The first retry comes soon, because most connections are lost to a restart or failover that is over. */
const RECONNECT_MS = 50;
const RECONNECT_MS_MAX = 1000;
// PostgreSQL refuses notifications of 8,000 bytes and more.
const PAYLOAD_CHARACTERS_MAX = 7000;

type PostgresWakeups = Wakeups & {
  /** Sends a statement on the connection that listens, which is otherwise idle; undefined while there is none. */
  send<R extends pg.QueryResultRow>(query: CompiledQuery<R>): Promise<pg.QueryResult<R>> | undefined;
};

export function createPostgresWakeups(pool: pg.Pool, url: string): PostgresWakeups {
  const local = createLocalWakeups();
  const self = uuid();
  const inline = createInliner();
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let hearing: { client: pg.Client; name: string } | undefined;
  let reconnect: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const topics = [...pending];
    pending.clear();
    for (const batch of batches(topics)) {
      noteStatement(NOTIFY);
      await pool.query(NOTIFY, [CHANNEL, JSON.stringify({ from: self, topics: batch })]);
    }
  }

  async function connect(pauseMs = RECONNECT_MS): Promise<void> {
    const name = `tramontane-${uuid()}`;
    const next = new pg.Client({ connectionString: url, application_name: name, keepAlive: true });
    let isLost = false;
    const retry = (waitMs: number) => {
      if (isLost) return;
      isLost = true;
      if (hearing?.client === next) hearing = undefined;
      next.end().catch(() => undefined);
      if (closed) return;
      reconnect = setTimeout(() => void connect(Math.min(RECONNECT_MS_MAX, waitMs * 2)), waitMs);
      reconnect.unref();
    };
    next.on('error', () => retry(RECONNECT_MS));
    next.on('end', () => retry(RECONNECT_MS));
    next.on('notification', ({ payload }) => {
      const { from, topics } = JSON.parse(payload ?? '{}') as { from: string; topics: string[] };
      // Readers of this process were woken when it was sent.
      if (from !== self) for (const topic of topics) local.wake(topic);
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
    } catch {
      return retry(pauseMs);
    }
    if (closed) return void (await next.end());
    if (isLost) return;
    hearing = { client: next, name };
    // Notifications sent while the connection was down were missed.
    local.wakeAll();
  }

  const connecting = connect();
  return {
    wake(topic) {
      local.wake(topic);
      pending.add(topic);
      // A lost hint costs at most one poll interval, so a failure is not retried.
      timer ??= setTimeout(() => void flush().catch(() => undefined), BATCH_MS);
    },
    listen: local.listen,
    hearsAs: () => hearing?.name,
    send(query) {
      if (!hearing) return undefined;
      const text = inline(query);
      noteStatement(text);
      return hearing.client.query(text);
    },
    ready: () => connecting,
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(reconnect);
      await connecting;
      await hearing?.client.end();
    },
  };
}

/**
 * The text of a statement with its values in it, kept for the next time: one message there, and no protocol of prepared
 * statements. All values are texts.
 */
function createInliner(): (query: CompiledQuery) => string {
  let last: { query: CompiledQuery; text: string } | undefined;
  return (query) => {
    if (last?.query !== query) {
      const text = query.sql.replace(/\$(\d+)/g, (_, at) => pg.escapeLiteral(query.parameters[at - 1] as string));
      last = { query, text };
    }
    return last.text;
  };
}

function batches(topics: string[]): string[][] {
  const all: string[][] = [];
  let batch: string[] = [];
  let size = 0;
  for (const topic of topics) {
    if (size + topic.length > PAYLOAD_CHARACTERS_MAX && batch.length > 0) {
      all.push(batch);
      batch = [];
      size = 0;
    }
    batch.push(topic);
    size += topic.length + 3;
  }
  if (batch.length > 0) all.push(batch);
  return all;
}
