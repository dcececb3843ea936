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
const PAYLOAD_BYTES_MAX = 7000;
/** Of one topic: more is read from the database in less time. */
const NEWS_BYTES_MAX = 3000;

/** Topics with their news, each as JSON. */
type Pending = Map<string, string[]>;
type Payload = { from: string; topics: string[]; news?: Record<string, unknown[]> };

type PostgresWakeups = Wakeups & {
  /** Sends a statement on the connection that listens, which is otherwise idle; undefined while there is none. */
  send<R extends pg.QueryResultRow>(query: CompiledQuery<R>): Promise<pg.QueryResult<R>> | undefined;
};

export function createPostgresWakeups(pool: pg.Pool, url: string): PostgresWakeups {
  const local = createLocalWakeups();
  const self = uuid();
  const inline = createInliner();
  let pending: Pending = new Map();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let hearing: { client: pg.Client; name: string } | undefined;
  let reconnect: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const sent = pending;
    pending = new Map();
    for (const payload of payloadsOf(self, sent)) {
      noteStatement(NOTIFY);
      await pool.query(NOTIFY, [CHANNEL, payload]);
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
      const { from, topics, news } = JSON.parse(payload ?? '{}') as Payload;
      // Readers of this process were woken when it was sent.
      if (from !== self) for (const topic of topics) local.hear(topic, news?.[topic] ?? []);
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
    wake(topic, news) {
      local.wake(topic);
      const told = pending.get(topic) ?? [];
      if (news !== undefined) told.push(news);
      pending.set(topic, told);
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

function* payloadsOf(from: string, pending: Pending): Generator<string> {
  let topics: string[] = [];
  let news: string[] = [];
  let size = 0;
  const payload = () =>
    `{"from":"${from}","topics":[${topics.join()}]${news.length > 0 ? `,"news":{${news.join()}}` : ''}}`;
  for (const [topic, texts] of pending) {
    const name = JSON.stringify(topic);
    const told = `${name}:[${texts.join()}]`;
    const isSent = texts.length > 0 && Buffer.byteLength(told) <= NEWS_BYTES_MAX;
    const added = Buffer.byteLength(name) + 1 + (isSent ? Buffer.byteLength(told) + 1 : 0);
    if (size + added > PAYLOAD_BYTES_MAX && topics.length > 0) {
      yield payload();
      [topics, news, size] = [[], [], 0];
    }
    topics.push(name);
    if (isSent) news.push(told);
    size += added;
  }
  if (topics.length > 0) yield payload();
}
