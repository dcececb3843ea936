import type { HistoryEvent, PollRequest, QueryTask } from '../../../../packages/workflows/src/protocol.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { GONE_MS, LEASE_MS, LOOK_AGAIN_MS, MAILBOX_MS, UNCOLLECTED_MS } from './limits.ts';
import type { StepRow } from './tables.ts';

/** A turn that was leased to a worker, with its new events if they are in memory. */
export type TurnToTake = { run: RunRow; historyAfter: number; events: HistoryEvent[] | undefined };
export type StepToRun = { run: RunRow; step: StepRow };

export type Mail = { turns: TurnToTake[]; steps: StepToRun[]; queries: QueryTask[]; cancelled: string[] };

/** A worker that polls this process. Work waits in its mailbox until the next poll. */
export type Session = {
  key: string;
  group: string;
  worker: string;
  workflows: ReadonlySet<string>;
  steps: ReadonlySet<string>;
  /** How many more turns and steps it can take. */
  turnCredit: number;
  stepCredit: number;
  mail: Mail;
  /** Whether the database may have work for it. */
  mayFindWork: boolean;
  lookedMs: number;
  seenMs: number;
  /** When it last left mail uncollected. */
  uncollectedMs: number;
  /** Open polls, and the number of the newest. Only that one counts: the connections of the others broke. */
  polls: number;
  newestPoll: number;
  wake: (() => void) | undefined;
};

export const groupOf = (workspaceId: string, deploymentName: string): string => `${workspaceId} ${deploymentName}`;

const keyOf = (group: string, worker: string): string => `${group} ${worker}`;

const emptyMail = (): Mail => ({ turns: [], steps: [], queries: [], cancelled: [] });

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(now: () => number) {
  const groups = new Map<string, Map<string, Session>>();
  /** When workers disconnected that have not come back. */
  const gone = new Map<string, number>();

  function isConnected(session: Session): boolean {
    if (session.polls > 0) return true;
    return now() - session.seenMs < MAILBOX_MS && now() - session.uncollectedMs > UNCOLLECTED_MS;
  }

  function* inGroup(group: string): Generator<Session> {
    for (const session of groups.get(group)?.values() ?? []) if (isConnected(session)) yield session;
  }

  return {
    /** A poll begins; it replaces the worker's names and credit. */
    enter(workspaceId: string, request: PollRequest): Session {
      const group = groupOf(workspaceId, request.deployment_name);
      const sessions = groups.get(group) ?? new Map<string, Session>();
      groups.set(group, sessions);
      const known = sessions.get(request.worker_name);
      const session: Session = known ?? {
        key: keyOf(group, request.worker_name),
        group,
        worker: request.worker_name,
        workflows: new Set(),
        steps: new Set(),
        turnCredit: 0,
        stepCredit: 0,
        mail: emptyMail(),
        mayFindWork: true,
        lookedMs: 0,
        seenMs: 0,
        uncollectedMs: Number.NEGATIVE_INFINITY,
        polls: 0,
        newestPoll: 0,
        wake: undefined,
      };
      sessions.set(session.worker, session);
      gone.delete(session.key);
      session.workflows = sameSet(session.workflows, request.workflows);
      session.steps = sameSet(session.steps, request.steps);
      session.turnCredit = Math.max(0, request.max_workflow_tasks - session.mail.turns.length);
      session.stepCredit = Math.max(0, request.max_step_tasks - session.mail.steps.length);
      session.seenMs = now();
      session.polls++;
      session.newestPoll++;
      // Ends the previous poll.
      session.wake?.();
      return session;
    },
    /** True when the worker is gone: its connection broke and it has no other poll here. */
    exit(session: Session, isBroken: boolean): boolean {
      session.polls--;
      session.seenMs = now();
      if (!isBroken || session.polls > 0) return false;
      session.seenMs = Number.NEGATIVE_INFINITY;
      gone.set(session.key, now());
      return true;
    },
    /** Whether the worker's connection to this process broke; it may poll another one. */
    isGone: (group: string, worker: string): boolean => gone.has(keyOf(group, worker)),
    seen(session: Session): void {
      session.seenMs = now();
    },
    /** The worker got this turn with the response to an advance. */
    dropTurn(group: string, worker: string, runId: string): void {
      const mail = groups.get(group)?.get(worker)?.mail;
      if (mail && mail.turns.length > 0) mail.turns = mail.turns.filter(({ run }) => run.run_id !== runId);
    },
    find(group: string, worker: string): Session | undefined {
      const session = groups.get(group)?.get(worker);
      return session && isConnected(session) ? session : undefined;
    },
    /** The worker that has the run cached, else the one with the most credit. */
    forTurn(run: RunRow): Session | undefined {
      const group = groupOf(run.workspace_id, run.deployment_name);
      let best: Session | undefined;
      for (const session of inGroup(group)) {
        if (session.turnCredit <= 0 || !session.workflows.has(run.workflow_name)) continue;
        if (session.worker === run.sticky_worker) return session;
        if (!best || rank(session) > rank(best)) best = session;
      }
      return best;
    },
    forStep(step: StepRow): Session | undefined {
      let best: Session | undefined;
      for (const session of inGroup(groupOf(step.workspace_id, step.deployment_name))) {
        if (session.stepCredit <= 0 || !session.steps.has(step.name)) continue;
        if (!best || rank(session) > rank(best)) best = session;
      }
      return best;
    },
    forQuery(run: RunRow, asked: ReadonlySet<string>): Session | undefined {
      const { workflow_name: workflowName, sticky_worker: stickyWorker } = run;
      let best: Session | undefined;
      for (const session of inGroup(groupOf(run.workspace_id, run.deployment_name))) {
        if (!session.workflows.has(workflowName) || asked.has(session.worker)) continue;
        if (session.worker === stickyWorker) return session;
        best ??= session;
      }
      return best;
    },
    /** Wakes the group's workers: the database has work for them. */
    hint(group: string): void {
      for (const session of groups.get(group)?.values() ?? []) {
        session.mayFindWork = true;
        session.wake?.();
      }
    },
    looked(session: Session): void {
      session.lookedMs = now();
    },
    /** Wakes workers that have waited for a while: a hint from another process may be lost. */
    hintIdle(): void {
      for (const sessions of groups.values())
        for (const session of sessions.values()) {
          if (!session.wake || now() - session.lookedMs < LOOK_AGAIN_MS) continue;
          session.mayFindWork = true;
          session.wake();
        }
    },
    takeMail(session: Session): Mail {
      const { mail } = session;
      session.mail = emptyMail();
      return mail;
    },
    hasMail({ mail }: Session): boolean {
      return mail.turns.length + mail.steps.length + mail.queries.length + mail.cancelled.length > 0;
    },
    /** Removes sessions of workers that are gone, and returns the mail that they did not collect. */
    sweep(): Mail[] {
      const uncollected: Mail[] = [];
      for (const [key, atMs] of gone) if (now() - atMs > GONE_MS) gone.delete(key);
      for (const [group, sessions] of groups) {
        for (const [worker, session] of sessions) {
          if (isConnected(session)) continue;
          if (this.hasMail(session)) {
            uncollected.push(this.takeMail(session));
            session.uncollectedMs = now();
          }
          if (
            session.polls === 0 &&
            now() - Math.max(session.seenMs, session.uncollectedMs + UNCOLLECTED_MS) > LEASE_MS
          )
            sessions.delete(worker);
        }
        if (sessions.size === 0) groups.delete(group);
      }
      return uncollected;
    },
    size: () => [...groups.values()].reduce((count, sessions) => count + sessions.size, 0),
  };
}

// Waiting workers come first, then those with the most credit.
function rank({ wake, turnCredit, stepCredit }: Session): number {
  return (wake ? 1_000_000 : 0) + turnCredit + stepCredit;
}

function sameSet(known: ReadonlySet<string>, names: string[]): ReadonlySet<string> {
  return known.size === names.length && names.every((name) => known.has(name)) ? known : new Set(names);
}
