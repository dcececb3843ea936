import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { EvaluationPorts } from '../ports.ts';
import { readRecord } from '../read-record.ts';
import { finishRecord, listPending, type Result } from '../store/records.ts';
import { addToRun, findRunById } from '../store/runs.ts';
import type { RecordRow, RunRow } from '../store/tables.ts';
import { askSystem, type Spending, type UnitContext } from './ask-system.ts';
import { scoreAnswer, storable } from './score-answer.ts';

const PAGE = 100;
const LOOK_MS = 1000;

/** Answers and judges every pending record, several at a time. Returns whether it was stopped. */
export async function executeRecords(
  ports: EvaluationPorts,
  run: RunRow,
  scope: UnitContext['scope'],
  given: AbortSignal,
): Promise<'done' | 'stopped'> {
  const { database } = ports;
  const end = new AbortController();
  const signal = AbortSignal.any([given, end.signal]);
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const looks = setInterval(() => void look().catch((error: unknown) => end.abort(error)), LOOK_MS);

  /** Records that run are finished when a run is stopped; nothing new is begun. */
  async function look(): Promise<void> {
    const status = (await findRunById(database.db, run.id))?.status;
    if (status !== 'running') isStopped = true;
    if (status === undefined) end.abort(new Error('The run was deleted.'));
  }

  try {
    for (let after = -1; !isStopped; ) {
      const pending = await listPending(database.db, run.id, after, PAGE);
      const last = pending.at(-1);
      if (!last) break;
      after = last.position;
      for (const record of pending) {
        while (running.size >= ports.concurrency) await Promise.race(running);
        signal.throwIfAborted();
        if (isStopped) break;
        const unit: Promise<void> = executeRecord(ports, run, record, scope, signal)
          .catch((error: unknown) => end.abort(error))
          .finally(() => running.delete(unit));
        running.add(unit);
      }
    }
    await Promise.all(running);
    signal.throwIfAborted();
    await look();
    return isStopped ? 'stopped' : 'done';
  } finally {
    clearInterval(looks);
    await Promise.all(running);
  }
}

/** The results of a record are stored together and once, with what they cost. */
async function executeRecord(
  ports: EvaluationPorts,
  run: RunRow,
  record: RecordRow,
  scope: UnitContext['scope'],
  signal: AbortSignal,
): Promise<void> {
  const spending: Spending = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
  const context: UnitContext = { ports, scope, spending, signal };
  const input = readRecord(JSON.parse(record.record_info));
  const results: Result[] = [];
  const times = run.system.kind === 'recorded' ? 1 : run.num_generations;
  for (let position = 0; position < times; position++) {
    const answer = await askSystem(context, run.system, input, { runId: run.id, recordId: record.id, position });
    const generationId = uuidv7(ports.now());
    const scores: Result['scores'] = [];
    for (const evaluator of answer.message ? run.evaluators : []) {
      for (let number = 0; number < evaluator.num_scores; number++) {
        const id = `eval-${generationId}-${scores.length}`;
        const score = await scoreAnswer(context, evaluator, input, answer.message as Record<string, unknown>, id);
        scores.push({
          id: uuidv7(ports.now()),
          run_id: run.id,
          record_id: record.id,
          generation_id: generationId,
          evaluator: evaluator.name,
          ...score,
          error: score.error && storable(score.error),
          status: score.error === null ? 'completed' : 'failed',
          created_at: isoMicros(ports.now),
        });
      }
    }
    const generation = {
      id: generationId,
      run_id: run.id,
      record_id: record.id,
      position,
      output: answer.message && escapeNul(JSON.stringify(answer.message)),
      status: answer.error === null ? ('completed' as const) : ('failed' as const),
      error: answer.error && storable(answer.error),
      metadata: answer.metadata,
      created_at: isoMicros(ports.now),
    };
    results.push({ generation, scores });
  }
  const isGood = results.every(
    ({ generation, scores }) =>
      generation.status === 'completed' && scores.every(({ status }) => status === 'completed'),
  );
  const updated_at = isoMicros(ports.now);
  await ports.database.transaction(async (tx) => {
    if (!(await finishRecord(tx, record.id, isGood ? 'completed' : 'failed', updated_at, results))) return;
    await addToRun(tx, run.id, { completed: Number(isGood), failed: Number(!isGood), ...spending }, updated_at);
  });
}

/** Inside JSON a NUL is an escape, which PostgreSQL refuses to read as text. */
export const escapeNul = (json: string): string => json.replaceAll('\\u0000', '\\ufffd');
