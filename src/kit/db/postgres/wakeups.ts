import pg from 'pg';
import { uuid } from '../../base/ids.ts';
import { createLocalWakeups, type Wakeups } from '../wakeups.ts';

const CHANNEL = 'tramontane';
const BATCH_MS = 5;
const RECONNECT_MS = 1000;
// PostgreSQL refuses notifications of 8,000 bytes and more.
const PAYLOAD_CHARACTERS_MAX = 7000;

export function createPostgresWakeups(pool: pg.Pool, url: string): Wakeups {
  const local = createLocalWakeups();
  const self = uuid();
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let client: pg.Client | undefined;
  let reconnect: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const topics = [...pending];
    pending.clear();
    for (const batch of batches(topics)) {
      await pool.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify({ from: self, topics: batch })]);
    }
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url });
    const retry = () => {
      if (client === next) client = undefined;
      next.end().catch(() => undefined);
      if (closed) return;
      clearTimeout(reconnect);
      reconnect = setTimeout(() => void connect(), RECONNECT_MS);
      reconnect.unref();
    };
    next.on('error', retry);
    next.on('notification', ({ payload }) => {
      const { from, topics } = JSON.parse(payload ?? '{}') as { from: string; topics: string[] };
      // Our own readers were woken when we sent it.
      if (from !== self) for (const topic of topics) local.wake(topic);
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      client = next;
      if (closed) await next.end();
    } catch {
      retry();
    }
  }

  const connecting = connect();
  return {
    wake(topic) {
      local.wake(topic);
      pending.add(topic);
      // A lost hint costs at most one poll interval, so a failure needs no more than that.
      timer ??= setTimeout(() => void flush().catch(() => undefined), BATCH_MS);
    },
    listen: local.listen,
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(reconnect);
      await connecting;
      await client?.end();
    },
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
