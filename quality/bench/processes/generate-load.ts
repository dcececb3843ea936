import { percentile } from '../statistics.ts';
import { answer } from './answer.ts';
import { Connection, type Target } from './connection.ts';

export type Load = {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The share of a core that this process used; near 1 the load generator is the bottleneck. */
  busy: number;
};

const SAMPLES_MAX = 1_000_000;
const TICK_MS = 1;
const UNANSWERED_MS = 10_000;

answer({ closedLoop, openLoop });

/**
 * Every connection sends its next request as soon as the last is answered: measures the maximum throughput. What is under way
 * at the end is waited for: a connection that is closed instead leaves work that was paid for and not counted, more of it at the
 * slower server, and a server that then ends its own request has to connect again.
 */
async function closedLoop(options: { target: Target; connections: number; durationMs: number }): Promise<Load> {
  const limitMs = options.durationMs + UNANSWERED_MS;
  return measure(options, limitMs, ({ connections, record, done }) => {
    const until = performance.now() + options.durationMs;
    let open = connections.length;
    for (const connection of connections) {
      let sentAt = performance.now();
      connection.onAnswer = () => {
        const now = performance.now();
        record(now - sentAt);
        if (now >= until) {
          open--;
          if (open === 0) done();
          return;
        }
        sentAt = now;
        connection.send();
      };
      connection.send();
    }
  });
}

/** Requests are due at a fixed rate whatever the server does; waiting for a free connection counts as latency. */
async function openLoop(options: {
  target: Target;
  connections: number;
  durationMs: number;
  perSecond: number;
}): Promise<Load> {
  const total = Math.round((options.perSecond * options.durationMs) / 1000);
  return measure(options, options.durationMs + UNANSWERED_MS, ({ connections, record, done }) => {
    const startedAt = performance.now();
    const free = [...connections];
    const due: number[] = [];
    const sentAt = new Map<Connection, number>();
    let planned = 0;
    let answered = 0;
    const sendDue = () => {
      while (due.length > 0 && free.length > 0) {
        const connection = free.pop() as Connection;
        sentAt.set(connection, due.shift() as number);
        connection.send();
      }
    };
    for (const connection of connections) {
      connection.onAnswer = () => {
        record(performance.now() - (sentAt.get(connection) ?? 0));
        free.push(connection);
        sendDue();
        if (++answered === total) done();
      };
    }
    const timer = setInterval(() => {
      const now = performance.now();
      // Counted from when the timer fired, so that a late timer of this process is not blamed on the server.
      for (; planned < total && planned < ((now - startedAt) / 1000) * options.perSecond; planned++) due.push(now);
      sendDue();
      if (planned === total) clearInterval(timer);
    }, TICK_MS);
  });
}

type Round = { connections: Connection[]; record: (ms: number) => void; done: () => void };

async function measure(
  options: { target: Target; connections: number },
  limitMs: number,
  run: (round: Round) => void,
): Promise<Load> {
  const samples = new Float64Array(SAMPLES_MAX);
  let count = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const connections = Array.from({ length: options.connections }, () => new Connection(options.target, reject));
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const timer = setTimeout(resolve, limitMs);
  const record = (ms: number) => {
    if (count < SAMPLES_MAX) samples[count++] = ms;
    else resolve();
  };
  try {
    run({ connections, record, done: resolve });
    await promise;
  } finally {
    clearTimeout(timer);
    for (const connection of connections) connection.close();
  }
  const elapsedMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuBefore);
  const seen = samples.subarray(0, count);
  return {
    requests: count,
    perSecond: (count / elapsedMs) * 1000,
    p50Ms: percentile(seen, 0.5),
    p99Ms: percentile(seen, 0.99),
    maxMs: percentile(seen, 1),
    busy: (cpu.user + cpu.system) / 1000 / elapsedMs,
  };
}
