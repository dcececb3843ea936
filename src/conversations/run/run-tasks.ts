import type { Turn } from '../../chat/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import { ApiError, storageError } from '../../kit/http/index.ts';
import {
  createTaskRunner,
  type HandlerContext,
  LeaseLost,
  type RunningTask,
  type TaskRunner,
} from '../../kit/tasks/index.ts';
import type { Noted } from '../schema/memo.ts';
import type { Outcome, Speaker } from '../schema/run.ts';
import { listEntries } from '../store/entries.ts';
import { findRun, type RunRow } from '../store/runs.ts';
import { createDurableJournal, type JournalPorts, streamOf } from './durable-journal.ts';
import { type Journal, RunGone } from './journal.ts';
import { runConversation } from './run-conversation.ts';
import type { Running, RunPorts } from './running.ts';
import type { Toolbox } from './tools.ts';

export const RUN_QUEUE = 'conversation-runs';
/** How long a run stays with a process that has died. */
export const RUN_LEASE_MS = 4000;
const RUNS_AT_ONCE = 1000;
const ATTEMPTS_MAX = 3;

/** What the process that took the request has at hand, so that the run begins without reading. */
export type Prepared = {
  row: RunRow;
  history: Noted[];
  speaker: Speaker;
  toolbox: Toolbox;
  turn: Turn | undefined;
  /** Ends the run, its first turn included. */
  stop: AbortController;
};

export type RunEnd = { outcome: Outcome; outputs: Noted[]; row: RunRow };

export type Runs = {
  runner: TaskRunner;
  /** Before its task is adopted. Resolves when the run has ended here; rejects when it was taken from us. */
  prepare(prepared: Prepared): Promise<RunEnd>;
  /** Undefined when no run of this id goes on in this process. */
  ended(runId: string): Promise<RunEnd> | undefined;
  abort(runId: string): void;
};

type Ports = JournalPorts &
  RunPorts & {
    log: Logger;
    /** Who speaks in a run that another process began; undefined when the run may not append any more. */
    load(row: RunRow): Promise<Speaker | undefined>;
  };

/** Runs as tasks: begun by the process that was asked, taken up by another when that one dies. */
export function createRuns(ports: Ports): Runs {
  const here = new Map<
    string,
    { prepared: Prepared | undefined; end: PromiseWithResolvers<RunEnd>; stop: AbortController }
  >();

  function enter(runId: string, prepared: Prepared | undefined) {
    const place = here.get(runId) ?? {
      prepared,
      end: Promise.withResolvers<RunEnd>(),
      stop: prepared?.stop ?? new AbortController(),
    };
    // Whoever waits hears of a failure; when nobody does, it is no unhandled rejection.
    place.end.promise.catch(() => undefined);
    here.set(runId, place);
    return place;
  }

  async function handle(task: RunningTask, { signal }: HandlerContext): Promise<void> {
    const { run_id: runId } = task.payload as { run_id: string };
    const { prepared, end, stop } = enter(runId, undefined);
    try {
      const row = prepared?.row ?? (await findRun(ports.database.db, runId));
      if (row?.state !== 'running') return;
      const journal = createDurableJournal(ports, {
        runId,
        conversationId: row.conversation_id,
        streams: row.task.streams,
        takeBackFrom: row.task.takeBackFrom,
        deletesOnFailure: row.task.began !== 'append',
        complete: (tx) => task.complete(tx),
      });
      signal.addEventListener('abort', () => stop.abort(signal.reason));
      end.resolve(await carryOut(row, prepared, journal, task, stop.signal));
    } catch (error) {
      end.reject(error);
      // Deleted from under it: then the task is done. Otherwise it goes back, and somebody takes the run up.
      if (!(error instanceof RunGone) && !(stop.signal.reason instanceof RunGone)) throw error;
    } finally {
      here.delete(runId);
    }
  }

  async function carryOut(
    row: RunRow,
    prepared: Prepared | undefined,
    journal: Journal,
    task: RunningTask,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const { progress } = row;
    const before = prepared?.history ?? (await listEntries(ports.database.db, row.conversation_id));
    const history = [...before];
    let outcome: Outcome = { error: null };
    try {
      const run = prepared
        ? startOf(prepared, row, history, journal, signal)
        : await takeUp(row, history, journal, task, signal);
      await runConversation(run);
      const created_at = isoMicros(ports.now);
      await journal.end({ type: 'conversation.response.done', created_at, usage: progress.usage }, progress, outcome);
    } catch (error) {
      if (error instanceof RunGone || error instanceof LeaseLost || signal.aborted) throw error;
      outcome = { error: describe(error) };
      if (!(error instanceof ApiError)) ports.log.error({ err: error, run_id: row.id }, 'a conversation run failed');
      const { message, status: code } = outcome.error;
      const created_at = isoMicros(ports.now);
      await journal.end({ type: 'conversation.response.error', created_at, message, code }, progress, outcome);
    }
    return { outcome, outputs: history.slice(row.output_from), row };
  }

  function startOf(prepared: Prepared, row: RunRow, history: Noted[], journal: Journal, signal: AbortSignal): Running {
    const { speaker, toolbox, turn } = prepared;
    return {
      ports,
      task: row.task,
      journal,
      signal,
      history,
      progress: row.progress,
      speaker,
      toolbox,
      chunks: [],
      servedBy: undefined,
      turn,
    };
  }

  async function takeUp(
    row: RunRow,
    history: Noted[],
    journal: Journal,
    task: RunningTask,
    signal: AbortSignal,
  ): Promise<Running> {
    const speaker = await ports.load(row);
    if (!speaker) throw new RunGone();
    // Half a message was shown already, and the model would not say the same again.
    const isCutOff = await hasHalfMessage(row, history);
    if (isCutOff || task.attempt > ATTEMPTS_MAX)
      throw new ApiError(503, 'The server stopped during this answer. What was finished is kept; append to go on.');
    const toolbox = await ports.openToolbox(speaker, row.task);
    const chunks = leftChunks(history);
    const { progress, task: asked } = row;
    return {
      ports,
      task: asked,
      journal,
      signal,
      history,
      progress,
      speaker,
      toolbox,
      chunks,
      servedBy: undefined,
      turn: undefined,
    };
  }

  async function hasHalfMessage(row: RunRow, history: Noted[]): Promise<boolean> {
    const { events, database } = ports;
    const stream = streamOf(row.conversation_id);
    const head = await events.head(database.db, stream);
    const [last] = await events.list(database.db, stream, { after: head - 1, limit: 1 });
    const { id } = (last?.data ?? {}) as { id?: string };
    return last?.type === 'message.output.delta' && !history.some(({ entry }) => entry.id === id);
  }

  const runner = createTaskRunner({
    database: ports.database,
    now: ports.now,
    log: ports.log,
    queues: { [RUN_QUEUE]: { handler: handle, concurrency: RUNS_AT_ONCE, leaseMs: RUN_LEASE_MS } },
  });

  return {
    runner,
    prepare: (prepared) => enter(prepared.row.id, prepared).end.promise,
    ended: (runId) => here.get(runId)?.end.promise,
    abort: (runId) => here.get(runId)?.stop.abort(new RunGone()),
  };
}

/** Files and sources of tools after which no message came. */
function leftChunks(history: readonly Noted[]): Running['chunks'] {
  const lastMessage = history.findLastIndex(
    ({ entry }) => entry.type === 'message.output' || entry.type === 'message.input',
  );
  return history.slice(lastMessage + 1).flatMap(({ memo }) => memo?.chunks ?? []);
}

function describe(error: unknown): NonNullable<Outcome['error']> {
  const problem = storageProblemOf(error);
  const known =
    error instanceof ApiError
      ? error
      : problem
        ? storageError(problem, error)
        : new ApiError(500, 'Something went wrong on our side. Report the request id to the operator.');
  const { status, message, type, code } = known;
  return { status, message, type, code };
}
