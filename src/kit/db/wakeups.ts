import pg from 'pg';

const CHANNEL = 'tramontane';
const BATCH_MS = 5;
const RECONNECT_MS = 1000;
// PostgreSQL refuses notifications of 8,000 bytes and more.
const PAYLOAD_CHARACTERS_MAX = 7000;

/**
 * Tells readers that something they watch has changed. In one process that is a function call; between
 * processes on PostgreSQL it is NOTIFY, sent in batches after the commit, because a NOTIFY inside the
 * transaction would make all commits queue behind one lock. It is only a hint: readers also poll.
 */
export type Wakeups = {
  wake(topic: string): void;
  listen(topic: string, listener: () => void): () => void;
  close(): Promise<void>;
};

export function createLocalWakeups(): Wakeups {
  const listeners = new Map<string, Set<() => void>>();
  return {
    wake(topic) {
      for (const listener of listeners.get(topic) ?? []) listener();
    },
    listen(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
    close: async () => undefined,
  };
}

export function createPostgresWakeups(pool: pg.Pool, url: string): Wakeups {
  const local = createLocalWakeups();
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let client: pg.Client | undefined;
  let reconnect: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const topics = [...pending];
    pending.clear();
    for (const payload of batches(topics)) await pool.query('select pg_notify($1, $2)', [CHANNEL, payload]);
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
      for (const topic of JSON.parse(payload ?? '[]') as string[]) local.wake(topic);
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

function batches(topics: string[]): string[] {
  const payloads: string[] = [];
  let batch: string[] = [];
  let size = 0;
  for (const topic of topics) {
    if (size + topic.length > PAYLOAD_CHARACTERS_MAX && batch.length > 0) {
      payloads.push(JSON.stringify(batch));
      batch = [];
      size = 0;
    }
    batch.push(topic);
    size += topic.length + 3;
  }
  if (batch.length > 0) payloads.push(JSON.stringify(batch));
  return payloads;
}
