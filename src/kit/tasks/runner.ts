import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Database, Looks } from '../db/index.ts';
import type { ClaimedTask } from './store/claim.ts';
import { createTasks } from './tasks.ts';
import { createQueueWorker, type QueueOptions, type QueueWorker } from './work-queue.ts';

export type TaskRunnerOptions = {
  database: Database;
  now: Clock;
  log: Logger;
  queues: Record<string, QueueOptions>;
  /** Find tasks without a wake-up; default: those of the database. */
  looks?: Looks;
};

export type TaskRunner = {
  start(): void;
  /** Runs a task that was claimed when it was enqueued, at once and beyond the queue's concurrency. */
  adopt(task: ClaimedTask): void;
  /** Stops claiming and waits for running handlers; after the limit aborts them and returns their tasks. */
  stop(limitMs: number): Promise<void>;
  /** Resolves when no handler runs here and nothing is due; what is delayed does not count. */
  idle(): Promise<void>;
};

export function createTaskRunner({
  database,
  now,
  log,
  queues,
  looks = database.looks,
}: TaskRunnerOptions): TaskRunner {
  const tasks = createTasks({ database, now });
  const byQueue = new Map(
    Object.entries(queues).map(([queue, options]) => [
      queue,
      createQueueWorker({ queue, tasks, database, now, log, looks }, options),
    ]),
  );
  const workers = [...byQueue.values()];
  const each = async (act: (worker: QueueWorker) => Promise<void>) => void (await Promise.all(workers.map(act)));

  return {
    start() {
      for (const worker of workers) worker.start();
    },
    adopt(task) {
      const worker = byQueue.get(task.queue);
      if (!worker) throw new Error(`No worker serves the queue '${task.queue}'.`);
      worker.adopt(task);
    },
    stop: (limitMs) => each((worker) => worker.stop(limitMs)),
    idle: () => each((worker) => worker.idle()),
  };
}
