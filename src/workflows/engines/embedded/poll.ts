import { once } from 'node:events';
import type {
  HistoryEvent,
  PollRequest,
  PollResponse,
  WorkflowTask,
} from '../../../../packages/workflows/src/protocol.ts';
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
  /** Questions that other processes have for a worker that polls here. */
  findQueries: (session: Session) => Promise<void>;
  /** Somebody is gone for whom something may have been put aside. */
  onGone: () => void;
};

export function createPoll({ database, committer, sessions, payloads, findQueries, onGone }: PollOptions) {
  const sources = { db: database.db, payloads };
  return async function poll(workspaceId: string, request: PollRequest, signal: AbortSignal): Promise<PollResponse> {
    const session = sessions.enter(workspaceId, request);
    const number = session.newestPoll;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.min(request.wait_ms, WAIT_MS_MAX)))]);
    const isNewest = () => session.newestPoll === number;
    try {
      while (!signal.aborted && isNewest() && !sessions.hasMail(session)) {
        if (session.mayFindWork) {
          session.mayFindWork = false;
          sessions.looked(session);
          // As much as it had room for: there may be more when it comes again.
          if (await claim(committer, session, workspaceId, request)) session.mayFindWork = true;
          await findQueries(session);
        } else if (ends.aborted) break;
        else await wait(session, ends);
      }
    } finally {
      if (sessions.exit(session, signal.aborted)) onGone();
    }
    // Two workers of one name would else chase each other with requests.
    if (!isNewest() && !ends.aborted) await once(ends, 'abort');
    // Who has left, or has come anew, will not read this answer: what is here goes to the next poll, or to others.
    if (signal.aborted || !isNewest()) return { workflow_tasks: [], step_tasks: [], queries: [], cancelled_steps: [] };
    return answer(sources, workspaceId, sessions.takeMail(session));
  };
}

async function wait(session: Session, ends: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  session.wake = resolve;
  ends.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  if (session.wake === resolve) session.wake = undefined;
}

/** Work that became ready while nobody polled, or at another process. True when there may be more of it. */
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
    // Reading the runs is enough: before the transaction is written, what is ready goes to those who poll.
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

async function answer(sources: Sources, workspaceId: string, mail: Mail): Promise<PollResponse> {
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
    workflow_name: run.workflow_name,
    registration_id: run.registration_id,
    attempt: run.turn_attempt,
    history_after: historyAfter,
    history: await sources.payloads.unpackEvents(run.workspace_id, history),
    history_end: run.last_event_id,
    lease_until_ms: run.lease_until_ms ?? 0,
  };
}

// The history may have grown since the lease was made, but only when the run has ended: the task is cut where it was.
async function readPage(db: Database['db'], runId: string, after: number, end: number): Promise<HistoryEvent[]> {
  const events = await readHistory(db, runId, after, HISTORY_PAGE_EVENTS, HISTORY_PAGE_BYTES);
  return events.filter(({ id }) => id <= end);
}
