import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HistoryEvent, Json } from '../../../../packages/workflows/src/protocol.ts';
import { createLog } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { createEvents } from '../../../kit/events/index.ts';
import type { Execution, StartExecution } from '../port/engine.ts';
import { registration, startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { createEmbeddedEngine, type EmbeddedEngine, type EngineOptions } from './create-embedded-engine.ts';
import { LEASE_MS } from './limits.ts';
import { type Code, createTestWorker, type TestWorkerOptions } from './worker-for-tests.ts';

/** An engine on a database, whose registry knows every name. */
export function engineForTests(database: Database, now: () => number, options: Partial<EngineOptions> = {}) {
  const events = createEvents({ database, now });
  const embedded = createEmbeddedEngine({
    database,
    events,
    now,
    log: createLog('silent'),
    findRegistration: async (_workspace, name) =>
      name === 'missing' ? undefined : { ...registration, workflowId: `id-of-${name}` },
    ...options,
  });
  return { ...embedded, events };
}

/** Starts an execution that three workers do not survive, one after the other. */
export async function startDeadly(
  { engine, workers, runDue }: EmbeddedEngine,
  clock: { ms: number },
  more: Partial<StartExecution> = {},
): Promise<Execution> {
  const started = await engine.start(startOf('any', null, more));
  for (let i = 0; i < 3; i++) {
    const names = { deployment_name: 'main', worker_name: `worker-${i}`, workflows: ['any'], steps: [] };
    const request = { ...names, max_workflow_tasks: 1, max_step_tasks: 1, wait_ms: 1 };
    const { workflow_tasks } = await workers.poll(WORKSPACE, request, AbortSignal.timeout(20_000));
    if (workflow_tasks.length !== 1) throw new Error('The worker got no turn.');
    clock.ms += LEASE_MS;
    while ((await runDue()) > 0);
  }
  return started;
}

/** An engine, a worker and a clock that stands still until it is moved. */
export async function scene(
  database: Database,
  code: Code,
  options: Partial<TestWorkerOptions> = {},
  engineOptions: Partial<EngineOptions> = {},
) {
  const clock = { ms: 1_800_000_000_000 };
  const now = () => clock.ms;
  const embedded = engineForTests(database, now, engineOptions);
  const worker = createTestWorker({ port: embedded.workers, workspaceId: WORKSPACE, code, now, ...options });
  const { engine, events } = embedded;

  /** Until nobody has anything to do at this time. */
  async function settle(): Promise<void> {
    // What was done is offered on when it is durable.
    do await embedded.idle();
    while ((await worker.work()) + (await embedded.runDue()) > 0);
  }

  /** Works until this is answered: what is asked for may reach the worker only after a read. */
  async function until<T>(asked: Promise<T>): Promise<T> {
    let open = true;
    const close = () => {
      open = false;
    };
    asked.then(close, close);
    while (open) {
      await settle();
      await nextTurn();
    }
    return asked;
  }

  return {
    ...embedded,
    clock,
    now,
    worker,
    settle,
    until,
    /** What was asked for at this moment has been written. */
    async committed(): Promise<void> {
      await nextTurn();
      await embedded.idle();
    },
    async pass(ms: number): Promise<void> {
      clock.ms += ms;
      await settle();
    },
    async run(name: string, input: Json = null, more: Partial<StartExecution> = {}): Promise<Execution> {
      const { executionId } = await engine.start(startOf(name, input, more));
      await settle();
      return this.look(executionId);
    },
    async look(executionId: string): Promise<Execution> {
      const execution = await engine.get(WORKSPACE, executionId);
      if (!execution) throw new Error(`There is no execution ${executionId}.`);
      return execution;
    },
    async types(runId: string): Promise<string[]> {
      const history = await engine.history(WORKSPACE, runId, 0, 100_000);
      checkHistory(history);
      return history.map(({ type }) => type);
    },
    async publicTypes(executionId: string): Promise<string[]> {
      const page = { after: 0, limit: 10_000 };
      const stored = await events.list(database.db, `workflow:${WORKSPACE}:${executionId}`, page);
      return stored.map(({ type }) => type);
    },
  };
}

/** What holds for every history: numbers without gaps, each step's end once, each end after its beginning. */
export function checkHistory(history: HistoryEvent[]): void {
  const ended = new Set<Json | undefined>();
  for (const [i, { id, type, attributes }] of history.entries()) {
    if (id !== i + 1) throw new Error(`Event ${i + 1} has the number ${id}.`);
    if (!/^ACTIVITY_TASK_(COMPLETED|FAILED|TIMED_OUT|CANCELED)$/.test(type)) continue;
    const { scheduled_event_id, started_event_id } = attributes;
    if (ended.has(scheduled_event_id)) throw new Error(`The step of event ${scheduled_event_id} ended twice.`);
    ended.add(scheduled_event_id);
    if (history[Number(scheduled_event_id) - 1]?.type !== 'ACTIVITY_TASK_SCHEDULED')
      throw new Error(`Event ${id} ends a step that was not scheduled.`);
    if (history[Number(started_event_id) - 1]?.type !== 'ACTIVITY_TASK_STARTED')
      throw new Error(`Event ${id} ends a step that was not started.`);
  }
}
