import { once } from 'node:events';
import type {
  HistoryEvent,
  PollRequest,
  PollResponse,
  WorkflowTask,
} from '../../../../packages/workflows/src/protocol.ts';
import { limitSignal } from '../../../kit/base/limit-signal.ts';
import type { Database } from '../../../kit/db/index.ts';
import { readHistory } from '../../store/history.ts';
import type { Payloads } from '../port/run-payloads.ts';
import { stepTask } from './dispatch.ts';
import { HISTORY_PAGE_BYTES, HISTORY_PAGE_EVENTS } from './limits.ts';
import type { Mail, Session, Sessions, TurnToTake } from './sessions.ts';
import { listReadyRuns, listReadySteps } from './store/ready.ts';
import { runToken } from './tokens.ts';
import type { WorkCommitter } from './work-unit.ts';

const WAIT_MS_MAX = 60_000;

export type PollOptions = {
  database: Database;
  committer: WorkCommitter;
  sessions: Sessions;
  payloads: Payloads;
  /** Takes queries that other processes have stored for this worker. */
  findQueries: (session: Session) => Promise<void>;
  /** A worker disconnected and may have left mail. */
  onDisconnect: () => void;
};

export function createPoll({ database, committer, sessions, payloads, findQueries, onDisconnect }: PollOptions) {
  const sources = { db: database.db, payloads };
  return async function poll(workspaceId: string, request: PollRequest, signal: AbortSignal): Promise<PollResponse> {
    const session = sessions.enter(workspaceId, request);
    const number = session.newestPoll;
    const limited = limitSignal(signal, Math.max(1, Math.min(request.wait_ms, WAIT_MS_MAX)));
    const ends = limited.signal;
    const isNewest = () => session.newestPoll === number;
    try {
      while (!signal.aborted && isNewest() && !sessions.hasMail(session)) {
        if (session.mayFindWork) {
          session.mayFindWork = false;
          sessions.looked(session);
          // The worker's credit is used up; the next poll may find more.
          if (await claim(committer, session, workspaceId, request)) session.mayFindWork = true;
          await findQueries(session);
        } else if (ends.aborted) break;
        else await wait(session, ends);
      }
    } finally {
      if (sessions.exit(session, signal.aborted)) onDisconnect();
      if (isNewest()) limited.close();
    }
    // Otherwise two workers of one name would replace each other's polls in a busy loop.
    if (!isNewest() && !ends.aborted) await once(ends, 'abort');
    limited.close();
    // This response will not be read: its mail goes to the worker's next poll, or to other workers.
    if (signal.aborted || !isNewest()) return { workflow_tasks: [], step_tasks: [], queries: [], cancelled_steps: [] };
    return toResponse(sources, workspaceId, sessions.takeMail(session));
  };
}

async function wait(session: Session, ends: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  session.wake = resolve;
  ends.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  if (session.wake === resolve) session.wake = undefined;
}

/** Takes work that became ready while no worker polled, or in another process. True when there may be more. */
async function claim(
  committer: WorkCommitter,
  session: Session,
  workspaceId: string,
  request: PollRequest,
): Promise<boolean> {
  const { deployment_name: deploymentName, workflows, steps } = request;
  const served = { workspaceId, deploymentName };
  return committer.commit(async (unit) => {
    const { turnCredit, stepCredit } = session;
    let isMore = false;
    // Reading the runs is enough: `dispatch` leases ready work to polling workers before the transaction is written.
    if (turnCredit > 0 && workflows.length > 0) {
      const ready = await listReadyRuns(unit.tx, { ...served, names: workflows, nowMs: unit.nowMs, limit: turnCredit });
      for (const { run_id } of ready) await unit.findFreeRun(run_id);
      isMore ||= ready.length === turnCredit;
    }
    if (stepCredit > 0 && steps.length > 0) {
      const ready = await listReadySteps(unit.tx, { ...served, names: steps, nowMs: unit.nowMs, limit: stepCredit });
      for (const { run_id, scheduled_event_id } of ready) {
        const run = await unit.findFreeRun(run_id);
        const step = run && (await unit.stepsOf(run)).get(scheduled_event_id);
        if (step) unit.addReadyStep(step);
      }
      isMore ||= ready.length === stepCredit;
    }
    return isMore;
  });
}

type Sources = { db: Database['db']; payloads: Payloads };

async function toResponse(sources: Sources, workspaceId: string, mail: Mail): Promise<PollResponse> {
  return {
    workflow_tasks: await Promise.all(mail.turns.map((turn) => workflowTask(sources, turn))),
    step_tasks: await Promise.all(
      mail.steps.map(async ({ run, step }) => {
        const task = stepTask({ row: run }, step, step.lease_until_ms ?? 0);
        return { ...task, input: await sources.payloads.unpackList(workspaceId, task.input) };
      }),
    ),
    queries: mail.queries,
    cancelled_steps: mail.cancelled,
  };
}

export async function workflowTask(sources: Sources, turn: TurnToTake): Promise<WorkflowTask> {
  const { run, historyAfter } = turn;
  const history = turn.events ?? (await readPage(sources.db, run.run_id, historyAfter, run.last_event_id));
  return {
    token: runToken({ runId: run.run_id, leaseSeq: run.lease_seq }),
    execution_id: run.execution_id,
    run_id: run.run_id,
    root_execution_id: run.root_execution_id,
    workflow_name: run.workflow_name,
    registration_id: run.registration_id,
    attempt: run.turn_attempt,
    history_after: historyAfter,
    history: await sources.payloads.unpackEvents(run.workspace_id, history),
    history_end: run.last_event_id,
    lease_until_ms: run.lease_until_ms ?? 0,
  };
}

// After the lease the history only grows if the run has ended; those events are cut off.
async function readPage(db: Database['db'], runId: string, after: number, end: number): Promise<HistoryEvent[]> {
  const events = await readHistory(db, runId, after, HISTORY_PAGE_EVENTS, HISTORY_PAGE_BYTES);
  return events.filter(({ id }) => id <= end);
}
