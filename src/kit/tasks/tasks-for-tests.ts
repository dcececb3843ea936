import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { createLog } from '../base/log.ts';
import { createLooks, type Database } from '../db/index.ts';
import {
  createTaskRunner,
  createTasks,
  type NewTask,
  type QueueOptions,
  type TaskHandler,
  type TaskRunner,
  type Tasks,
} from './index.ts';

const NEVER_MS = 2 ** 31 - 1;

export type TestClock = { now: () => number; advance(ms: number): void };

/** Time that stands still until a test moves it. */
export function createTestClock(startMs = 1_700_000_000_000): TestClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
  };
}

export const silentLog = createLog('silent');

/** A handler that says when it began and goes on when told. */
export function gate() {
  const began = Promise.withResolvers<Parameters<TaskHandler>>();
  const opened = Promise.withResolvers<void>();
  const handler: TaskHandler = async (...call) => {
    began.resolve(call);
    await opened.promise;
  };
  return { handler, began: began.promise, open: opened.resolve };
}

type RunOptions = {
  concurrency?: number;
  leaseMs?: number;
  pollMs?: number;
  database?: Database;
  removesLater?: boolean;
  onQuarantine?: QueueOptions['onQuarantine'];
  turns?: QueueOptions['turns'];
};

/** One database for the file; each test has its own clock, queue, log lines and runners, which are stopped after it. */
export function setUpRunners(test: TestDatabase) {
  let database: Database;
  let clock = createTestClock();
  let tasks: Tasks;
  let queues = 0;
  let runners: TaskRunner[] = [];
  let lines: Record<string, unknown>[] = [];
  const queue = () => `queue-${queues}`;

  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());
  beforeEach(() => {
    clock = createTestClock();
    tasks = createTasks({ database, now: clock.now });
    queues++;
    runners = [];
    lines = [];
  });
  afterEach(() => Promise.all(runners.map((runner) => runner.stop(0))));

  /** Without a poll, so that what begins was woken or timed. */
  function run(
    handler: TaskHandler,
    {
      concurrency = 1,
      leaseMs = 30_000,
      pollMs = NEVER_MS,
      removesLater = false,
      onQuarantine,
      turns,
      ...options
    }: RunOptions = {},
  ): TaskRunner {
    const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
    const worker = {
      [queue()]: {
        handler,
        concurrency,
        leaseMs,
        removesLater,
        ...(onQuarantine && { onQuarantine }),
        ...(turns && { turns }),
      },
    };
    const looks = createLooks({ ...database, version: () => undefined, everyMs: pollMs });
    const runner = createTaskRunner({ database, now: clock.now, log, queues: worker, looks, ...options });
    runner.start();
    runners.push(runner);
    return runner;
  }

  return {
    /** What the current test works with. */
    current: () => ({ database, clock, tasks, queue: queue(), lines }),
    run,
    enqueue: (task: Partial<NewTask> = {}) =>
      database.transaction((tx) => tasks.enqueue(tx, { queue: queue(), payload: {}, ...task })),
    rows: () => database.db.selectFrom('tasks').selectAll().where('queue', '=', queue()).execute(),
  };
}
