import type { StepTask } from '../../../../packages/workflows/src/protocol.ts';
import type { Database } from '../../../kit/db/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { leaseRun, releaseRun, renewLease } from './leases.ts';
import { CLEARED_MS, DEATHS_MAX, SUSPECT_AGAIN_MS } from './limits.ts';
import { admitByRate } from './rate-limits.ts';
import { groupOf, type Session, type Sessions } from './sessions.ts';
import { hold, isSetAside } from './set-aside.ts';
import { beginStep, offer } from './steps.ts';
import { hasSuspectInHand } from './store/quarantine.ts';
import type { StepRow } from './tables.ts';
import { stepToken } from './tokens.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export const readyTopic = (group: string): string => `workflow-ready:${group}`;

/**
 * Runs before a transaction is written: leases new work to workers that poll this process, in the same transaction.
 * Work without a local worker stays in the database, and all processes are notified.
 */
export async function dispatch(unit: WorkUnit, sessions: Sessions, database: Database): Promise<void> {
  const withoutTaker = new Set<string>();
  for (const run of [...unit.turnsToDeliver]) await deliverTurn(unit, sessions, run);
  for (const run of unit.runs())
    if (!(await offerTurn(unit, sessions, run)) && unit.becameReady(run)) withoutTaker.add(groupOfRun(run));
  for (const step of unit.readySteps()) await offerStep(unit, sessions, step);
  for (const step of unit.steps()) if (!(await offerStep(unit, sessions, step))) withoutTaker.add(groupOfStep(step));
  for (const step of unit.stepsToStop) requestStop(unit, sessions, step);
  // Only once, when it became ready: otherwise workers that find nothing would wake each other forever.
  if (withoutTaker.size > 0) unit.isOffering = true;
  for (const group of withoutTaker)
    unit.afterCommit(() => {
      sessions.hint(group);
      database.wakeups.wake(readyTopic(group));
    });
}

const groupOfRun = ({ row }: RunState): string => groupOf(row.workspace_id, row.deployment_name);
const groupOfStep = (step: StepRow): string => groupOf(step.workspace_id, step.deployment_name);

/** The lease holder gets the next turn; if it does not poll here, any worker may take it. */
async function deliverTurn(unit: WorkUnit, sessions: Sessions, run: RunState): Promise<void> {
  const { row } = run;
  const holder = sessions.find(groupOfRun(run), row.lease_worker ?? '');
  if (!holder) {
    await releaseRun(unit, run);
    return;
  }
  // The token stays the same: `base` tells this turn from one that the worker is taking right now.
  renewLease(unit, run);
  sendTurn(unit, holder, run);
}

/** False when a turn is ready and no worker here can take it. */
async function offerTurn(unit: WorkUnit, sessions: Sessions, run: RunState): Promise<boolean> {
  const { row } = run;
  if (isSetAside(run)) row.ready_ms = null;
  if (row.ready_ms === null || row.ready_ms > unit.nowMs || hasEnded(row.status)) return true;
  const session = sessions.forTurn(row);
  if (!session) return false;
  if (row.deaths >= DEATHS_MAX - 1 && !(await mayTryAlone(unit, row))) {
    row.ready_ms = unit.nowMs + SUSPECT_AGAIN_MS;
    return true;
  }
  session.turnCredit--;
  unit.onRollback(() => session.turnCredit++);
  leaseRun(unit, run, session.worker);
  sendTurn(unit, session, run);
  return true;
}

function sendTurn(unit: WorkUnit, session: Session, run: RunState): void {
  const { row } = run;
  const historyAfter = row.sticky_worker === session.worker ? row.sticky_event_id : 0;
  const appended = unit.appendedTo(run);
  const first = appended[0]?.id ?? Number.POSITIVE_INFINITY;
  const events = first <= historyAfter + 1 ? appended.filter(({ id }) => id > historyAfter) : undefined;
  unit.isOffering = true;
  unit.afterCommit(() => {
    session.mail.turns.push({ run: { ...row }, historyAfter, events });
    session.wake?.();
  });
}

async function offerStep(unit: WorkUnit, sessions: Sessions, step: StepRow): Promise<boolean> {
  if (step.state !== 'ready') return true;
  const run = await unit.findRun(undefined, step.run_id);
  if (!run || hasEnded(run.row.status)) return true;
  if (isSetAside(run)) {
    hold(unit, run, step);
    return true;
  }
  const session = sessions.forStep(step);
  if (!session) return false;
  if (Math.max(step.lost_leases, run.row.deaths) >= DEATHS_MAX - 1 && !(await mayTryAlone(unit, step))) {
    offer(unit, run, step, unit.nowMs + SUSPECT_AGAIN_MS);
    return true;
  }
  if (!(await admitByRate(unit, run, step))) return true;
  session.stepCredit--;
  unit.onRollback(() => session.stepCredit++);
  beginStep(unit, run, step, session.worker, 'leased');
  unit.isOffering = true;
  unit.afterCommit(() => {
    session.mail.steps.push({ run: run.row, step: { ...step } });
    session.wake?.();
  });
  return true;
}

/**
 * What one more worker may not survive is tried while the deployment has nothing else of that kind in hand: only one of
 * all that was in hand at the last deaths is to blame.
 */
async function mayTryAlone(unit: WorkUnit, of: { workspace_id: string; deployment_name: string }): Promise<boolean> {
  const group = groupOf(of.workspace_id, of.deployment_name);
  const deployment = { workspaceId: of.workspace_id, deploymentName: of.deployment_name };
  if (unit.trying.has(group) || (await hasSuspectInHand(unit.tx, deployment, unit.nowMs - CLEARED_MS))) return false;
  unit.trying.add(group);
  return true;
}

function requestStop(unit: WorkUnit, sessions: Sessions, step: StepRow): void {
  const session = sessions.find(groupOfStep(step), step.lease_worker ?? '');
  const token = tokenOf(step);
  if (session)
    unit.afterCommit(() => {
      session.mail.cancelled.push(token);
      session.wake?.();
    });
}

const tokenOf = ({ run_id, scheduled_event_id, lease_seq }: StepRow): string =>
  stepToken({ runId: run_id, scheduledEventId: scheduled_event_id, leaseSeq: lease_seq });

export function stepTask({ row }: Pick<RunState, 'row'>, step: StepRow, leaseUntilMs: number): StepTask {
  const { options, last_heartbeat } = step;
  return {
    token: tokenOf(step),
    execution_id: row.execution_id,
    run_id: row.run_id,
    root_execution_id: row.root_execution_id,
    workflow_name: row.workflow_name,
    scheduled_event_id: step.scheduled_event_id,
    activity_id: String(step.seq),
    name: step.name,
    input: step.input,
    attempt: step.attempt,
    timeout_ms: options.timeout_ms,
    ...(options.heartbeat_ms === undefined ? {} : { heartbeat_ms: options.heartbeat_ms }),
    ...(last_heartbeat === null ? {} : { last_heartbeat }),
    lease_until_ms: leaseUntilMs,
  };
}
