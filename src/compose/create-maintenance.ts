import type { Services } from '../app.ts';
import { enforceRetention } from '../audit/index.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { CONTENT_QUEUE, type DeletedContent } from '../kit/blobs/index.ts';
import type { Idempotency } from '../kit/http/index.ts';
import { createTaskRunner, createTasks } from '../kit/tasks/index.ts';
import type { Metering } from '../metering/index.ts';
import { FORGET_QUEUE, forgetMember, type LeavingMember } from './forget-member.ts';
import type { Platform } from './open-platform.ts';

const QUEUE = 'maintenance';
const HOUR_MS = 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;
/** Users expect these to happen when they are due. */
const EACH_MINUTE = new Set([
  'remove-expired-files',
  'remove-expired-documents',
  'run-library-sources',
  'announce-budgets',
]);
const STOP_MS = 5000;

/** Recurring jobs that delete old data; one server at a time runs them. */
export async function createMaintenance(options: {
  config: Config;
  platform: Platform;
  services: Services;
  metering: Metering;
  idempotency: Idempotency;
  log: Logger;
}): Promise<{ start(): void; stop(): Promise<void> }> {
  const { config, services, metering, idempotency, log } = options;
  const { database, audit } = options.platform;
  const { retention_days } = config.file.audit;
  const jobs: Record<string, () => Promise<unknown>> = {
    'forget-idempotency-keys': idempotency.sweep,
    'forget-old-usage': () => metering.prune(),
    'forget-conversation-runs': () => services.conversations.prune(),
    'remove-expired-files': () => services.files.expire(),
    'remove-unused-content': () => services.files.prune(),
    'remove-expired-documents': () => services.libraries.expire(),
    'run-library-sources': () => services.libraries.sources.runDue(),
    'prune-libraries': () => services.libraries.prune(),
    'prune-audit-log': async () =>
      retention_days && (await enforceRetention({ audit, now: systemClock, log }, retention_days)),
    'forget-batch-answers': () => services.batch.prune(),
    'remove-unused-samples': () => services.voices.prune(),
    'forget-ended-executions': () => services.workflows.prune(),
    'forget-old-deliveries': () => services.webhooks.prune(),
    'forget-old-notifications': () => services.notifications.prune(),
    'announce-budgets': () => services.notifications.announceBudgets(),
    'forget-old-spans': () => services.traces.prune(),
    'forget-old-span-evaluations': () => services.evaluations.spans.prune(),
    'remove-unfinished-documents': () => services.retrieval.prune(),
    'forget-ended-sessions': () => services.webConsole.prune(),
  };
  const { files, libraries, voices, batch } = services;
  const contents: Record<string, { removeContent(sha256s: string[]): Promise<void> }> = {
    files,
    libraries,
    voices,
    batch,
  };
  // Sorted, so that servers that start together lock the rows in the same order.
  const names = Object.keys(jobs).sort();
  const tasks = createTasks({ database, now: systemClock });
  await tasks.every(
    names.map((name) => ({ queue: QUEUE, name, intervalMs: EACH_MINUTE.has(name) ? MINUTE_MS : HOUR_MS })),
  );
  const runner = createTaskRunner({
    database,
    now: systemClock,
    log,
    queues: {
      [CONTENT_QUEUE]: {
        concurrency: 1,
        async handler({ payload }) {
          const { room, sha256s } = payload as DeletedContent;
          await contents[room]?.removeContent(sha256s);
        },
      },
      [FORGET_QUEUE]: {
        concurrency: 1,
        handler: ({ payload }) => forgetMember(services.tenants, services.traces, payload as LeavingMember),
      },
      [QUEUE]: {
        concurrency: 1,
        handler: async ({ payload }) => void (await jobs[(payload as { name: string }).name]?.()),
      },
    },
  });
  return { start: runner.start, stop: () => runner.stop(STOP_MS) };
}
