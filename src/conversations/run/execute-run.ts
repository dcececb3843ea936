import type { Turn } from '../../chat/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { SlotMap } from '../../kit/base/slot-map.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import type { Tx } from '../../kit/db/index.ts';
import { ApiError, type Scope, storageError, ValidationFailed } from '../../kit/http/index.ts';
import {
  type ClaimedTask,
  createTaskRunner,
  type HandlerContext,
  LeaseLost,
  type QuarantinedTask,
  type RunningTask,
  type TaskRunner,
} from '../../kit/tasks/index.ts';
import { conversationErrors } from '../errors.ts';
import type { StoredEntry } from '../schema/entries.ts';
import type { Outcome, RunError, Speaker } from '../schema/run.ts';
import type { ConversationRow } from '../store/conversations.ts';
import { listEntries } from '../store/entries.ts';
import { findRun, type RunRow } from '../store/runs.ts';
import type { WarmConversations } from '../warm-conversations.ts';
import { createDurableJournals, type JournalPorts, RunGone, streamOf } from './durable-journal.ts';
import { endStoppedRun } from './end-stopped-run.ts';
import { recordRun } from './record-spans.ts';
import type { Run, RunPorts } from './run.ts';
import { runTurns } from './run-turns.ts';
import type { Toolbox } from './toolbox.ts';

export const RUN_QUEUE = 'conversation-runs';
/** How long the run of a dead process waits for another one. */
export const RUN_LEASE_MS = 4000;
const RUNS_AT_ONCE = 1000;
const ATTEMPTS_MAX = 3;

/** A run that was admitted in this process, which therefore need not read it from the database. */
export type PreparedRun = {
  row: RunRow;
  history: StoredEntry[];
  speaker: Speaker;
  toolbox: Toolbox;
  turn: Turn | undefined;
  /** Ends the run, its first turn included. */
  stop: AbortController;
  /** Unset when the conversation is to be read again before its next run. */
  conversation: Pick<ConversationRow, 'settings' | 'metadata'> | undefined;
};

export type RunEnd = { outcome: Outcome; outputs: StoredEntry[] };

export type RunExecutor = {
  runner: TaskRunner;
  /** Runs a task that was stored here. Rejects when another process gets the run, or the conversation is deleted. */
  execute(prepared: PreparedRun, claimed: ClaimedTask): Promise<RunEnd>;
  abort(runId: string): void;
};

type Ports = JournalPorts &
  RunPorts & {
    /** The speaker of a run that another process began; undefined when the run lost its conversation. */
    reloadSpeaker(row: RunRow, caller: Scope): Promise<Speaker | undefined>;
    warm: WarmConversations;
  };

type LocalRun = { prepared: PreparedRun | undefined; end: PromiseWithResolvers<RunEnd>; stop: AbortController };

/** Executes stored runs as tasks: in the process that took the request, or in another one after its death. */
export function createRunExecutor(ports: Ports): RunExecutor {
  const { database, events, now, log } = ports;
  const openJournal = createDurableJournals(ports);
  const local = new SlotMap<LocalRun>();

  function register(runId: string, prepared: PreparedRun | undefined): LocalRun {
    const end = Promise.withResolvers<RunEnd>();
    // A stream does not wait for the end; its rejection is handled here.
    end.promise.catch(() => undefined);
    const run = { prepared, end, stop: prepared?.stop ?? new AbortController() };
    local.set(runId, run);
    return run;
  }

  async function handle(task: RunningTask, { signal }: HandlerContext): Promise<void> {
    const { run_id: runId } = task.payload as { run_id: string };
    const { prepared, end, stop } = local.get(runId) ?? register(runId, undefined);
    try {
      const row = prepared?.row ?? (await findRun(database.db, runId));
      if (row?.state !== 'running') return;
      signal.addEventListener('abort', () => stop.abort(signal.reason));
      const unfollow = ports.authority.follow(row.task.caller, 'conversations:write', (lost) => stop.abort(lost));
      end.resolve(await executeRun(row, prepared, task, stop.signal).finally(unfollow));
    } catch (error) {
      end.reject(error);
      // After a deletion the task is done. Otherwise it is released, and another attempt continues the run.
      if (!(error instanceof RunGone) && !(stop.signal.reason instanceof RunGone)) throw error;
    } finally {
      // Of a run that ended before its first turn; the budget holds an estimate for it until then.
      prepared?.turn?.abandon();
      local.delete(runId);
    }
  }

  async function executeRun(
    row: RunRow,
    prepared: PreparedRun | undefined,
    task: RunningTask,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const history = [...(prepared?.history ?? (await listEntries(database.db, row.conversation_id)))];
    const journal = openJournal({ row, history, complete: (tx) => task.complete(tx) });
    let outcome: Outcome = { error: null };
    try {
      const { speaker, toolbox, turn } = prepared ?? (await continueRun(row, history, task.attempt));
      const run: Run = {
        ports,
        task: row.task,
        journal,
        signal,
        history,
        progress: row.progress,
        speaker,
        toolbox,
        author: { model: speaker.model, agent_id: speaker.agent?.id ?? null },
        chunks: prepared ? [] : listUnusedChunks(history),
        turn,
      };
      await runTurns(run);
      const updated_at = isoMicros(now);
      await journal.end(outcome, updated_at);
      keepWarm(row, prepared, history, updated_at);
      recordRun(ports, row, run.speaker, outcome);
    } catch (error) {
      const lost = signal.reason instanceof ApiError ? signal.reason : undefined;
      if (error instanceof RunGone || error instanceof LeaseLost || (signal.aborted && !lost)) throw error;
      const failure = lost ?? error;
      if (!(failure instanceof ApiError || failure instanceof ValidationFailed))
        log.error({ err: error, run_id: row.id }, 'a conversation run failed');
      outcome = { error: toRunError(failure) };
      await journal.end(outcome, isoMicros(now));
      recordRun(ports, row, prepared?.speaker, outcome);
    }
    return { outcome, outputs: history.slice(row.output_from) };
  }

  function keepWarm(row: RunRow, prepared: PreparedRun | undefined, history: StoredEntry[], updated_at: string): void {
    const { conversation_id: id, workspace_id, user_id } = row;
    if (!prepared?.conversation) return void ports.warm.take(row, id);
    ports.warm.keep({ id, workspace_id, user_id, ...prepared.conversation, updated_at, history });
  }

  /** Loads what a run needs that began in another process. */
  async function continueRun(row: RunRow, history: StoredEntry[], attempt: number) {
    const caller = await ports.authority.scopeOf(row.task.caller, 'conversations:write');
    const speaker = await ports.reloadSpeaker(row, caller);
    if (!speaker) throw new RunGone();
    // The model would not repeat the part of a message that was already shown.
    if ((await hasPartialMessage(row, history)) || attempt > ATTEMPTS_MAX) throw conversationErrors.run_interrupted();
    return { speaker, toolbox: await ports.openTools(speaker, caller), turn: undefined };
  }

  async function hasPartialMessage(row: RunRow, history: StoredEntry[]): Promise<boolean> {
    const stream = streamOf(row.conversation_id);
    const head = await events.head(database.db, stream);
    const [last] = await events.list(database.db, stream, { after: head - 1, limit: 1 });
    const { id } = (last?.data ?? {}) as { id?: string };
    return last?.type === 'message.output.delta' && !history.some(({ entry }) => entry.id === id);
  }

  /** Clients wait for its end, and the conversation takes no message before it. */
  async function onQuarantine(tx: Tx, { payload }: QuarantinedTask): Promise<void> {
    const { run_id: runId } = payload as { run_id: string };
    await endStoppedRun(ports, tx, runId, toRunError(conversationErrors.run_interrupted()));
  }

  // A task that comes again finds the state of its run.
  const queue = { handler: handle, concurrency: RUNS_AT_ONCE, leaseMs: RUN_LEASE_MS, removesLater: true, onQuarantine };
  const runner = createTaskRunner({ database, now, log, queues: { [RUN_QUEUE]: queue } });

  return {
    runner,
    execute(prepared, claimed) {
      const { end } = register(prepared.row.id, prepared);
      runner.adopt(claimed);
      return end.promise;
    },
    abort: (runId) => local.get(runId)?.stop.abort(new RunGone()),
  };
}

/** Files and sources of tools after the last message. */
function listUnusedChunks(history: readonly StoredEntry[]): Run['chunks'] {
  const lastMessage = history.findLastIndex(
    ({ entry }) => entry.type === 'message.output' || entry.type === 'message.input',
  );
  return history.slice(lastMessage + 1).flatMap(({ memo }) => memo?.chunks ?? []);
}

/** The error as the client sees it, in a form that can be stored. */
export function toRunError(error: unknown): RunError {
  const [invalid] = error instanceof ValidationFailed ? error.items : [];
  if (invalid) {
    const { type: code, msg: message } = invalid;
    return { status: 422, message, type: 'invalid_request_error', code, wireCode: code };
  }
  const problem = storageProblemOf(error);
  const known =
    error instanceof ApiError ? error : problem ? storageError(problem, error) : conversationErrors.run_failed();
  const { status, message, type, code, wireCode } = known;
  return { status, message, type, code, wireCode };
}
