import { join } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { defineStep, defineWorkflow } from '../../../packages/workflows/src/index.ts';
import type { HistoryEvent, HistoryEventType, Json } from '../../../packages/workflows/src/protocol.ts';
import { replayHistory } from '../../../packages/workflows/src/run/memory-run-for-tests.ts';
import { type Db, migrate, openDatabase } from '../../../src/kit/db/index.ts';
import { readHistory } from '../../../src/workflows/store/history.ts';
import { answer } from './answer.ts';

// One run of many steps in a row, stored as the engine does: a batch per turn. It is loaded and replayed.
const RUN = '0190c4a2-0000-7000-8000-000000000001';
const PAGE = 2000;
const add = defineStep('add', async ({ a, b }: { a: number; b: number }) => a + b);
const many = defineWorkflow('many', {}, async (ctx, input) => {
  let n = 0;
  for (let i = 0; i < (input as { steps: number }).steps; i++) n = await ctx.step(add, { a: n, b: 1 });
  return n;
});

function* turnsOf(steps: number): Generator<HistoryEvent[]> {
  let id = 0;
  let batch: HistoryEvent[] = [];
  const append = (type: HistoryEventType, attributes: Record<string, Json> = {}) => {
    batch.push({ id: ++id, type, time_ms: 1_800_000_000_000 + id, attributes });
    return id;
  };
  const turn = () => {
    const scheduled_event_id = append('WORKFLOW_TASK_SCHEDULED', { attempt: 1 });
    const started_event_id = append('WORKFLOW_TASK_STARTED', { scheduled_event_id });
    append('WORKFLOW_TASK_COMPLETED', { scheduled_event_id, started_event_id, worker: 'worker' });
  };
  const started = { input: { steps }, workflow_name: 'many', attempt: 1, first_run_id: RUN };
  append('WORKFLOW_EXECUTION_STARTED', started);
  for (let seq = 1; seq <= steps; seq++) {
    turn();
    const activity_id = String(seq);
    const scheduled = { activity_id, activity_name: 'add', input: [{ a: seq - 1, b: 1 }], options: {} };
    const scheduled_event_id = append('ACTIVITY_TASK_SCHEDULED', scheduled);
    yield batch;
    batch = [];
    const started_event_id = append('ACTIVITY_TASK_STARTED', { scheduled_event_id, activity_id, attempt: 1 });
    append('ACTIVITY_TASK_COMPLETED', { scheduled_event_id, started_event_id, activity_id, result: seq });
  }
  turn();
  append('WORKFLOW_EXECUTION_COMPLETED', { result: steps });
  yield batch;
}

async function readWhole(db: Db): Promise<HistoryEvent[]> {
  const history: HistoryEvent[] = [];
  for (let page = await readHistory(db, RUN, 0, PAGE); page.length > 0; ) {
    history.push(...page);
    page = await readHistory(db, RUN, history.length, PAGE);
  }
  return history;
}

answer({
  replay: async ({ directory, steps }: { directory: string; steps: number }) => {
    const database = await openDatabase({ kind: 'sqlite', file: join(directory, 'history.db') });
    await migrate(database, migrations, '0.1.0', new Date().toISOString());
    await database.transaction(async (tx) => {
      for (const events of turnsOf(steps)) {
        const [first, last] = [events[0]?.id ?? 0, events.at(-1)?.id ?? 0];
        const row = { run_id: RUN, first_event_id: first, last_event_id: last, events: JSON.stringify(events) };
        await tx.insertInto('workflow_history').values(row).execute();
      }
    });
    const begun = performance.now();
    const history = await readWhole(database.db);
    const readMs = performance.now() - begun;
    const { failure } = await replayHistory(many, history, RUN);
    if (failure) throw new Error(failure.message);
    const allMs = performance.now() - begun;
    await database.close();
    return { events: history.length, readMs, allMs };
  },
});
