import type { temporal } from '@temporalio/proto';
import type { Clock } from '../../../kit/base/clock.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { FindRegistration } from '../port/engine.ts';
import { chainOf } from '../port/project-events.ts';
import type { Payloads } from '../port/run-payloads.ts';
import type { Cluster } from './cluster.ts';
import { firstOf } from './convert.ts';
import { CODES, hasCode } from './grpc.ts';
import type { Refresh } from './refresh.ts';
import type { RunMirror } from './run-mirror.ts';
import { findByTemporalId, findLatest, nameTemporalRun, type TemporalRun } from './store.ts';

type Started = temporal.api.history.v1.IWorkflowExecutionStartedEventAttributes;

export type Adopt = ReturnType<typeof createAdopt>;

/**
 * Finds a run by its Temporal id and mirrors it if it is new: a child, a continued run, or one that was started without
 * this API. Its data comes from Temporal's first event.
 */
export function createAdopt(options: {
  database: Database;
  cluster: Cluster;
  mirror: RunMirror;
  refresh: Refresh;
  payloads: Payloads;
  findRegistration: FindRegistration;
  organizationOf: (workspaceId: string) => Promise<string | undefined>;
  now: Clock;
  log: Logger;
}) {
  const { database, cluster, mirror, refresh, payloads, findRegistration, now, log } = options;
  const { db } = database;

  return async function adopt(
    workspaceId: string,
    executionId: string,
    temporalRunId: string,
  ): Promise<TemporalRun | undefined> {
    const known = await findByTemporalId(db, workspaceId, temporalRunId);
    if (known) return known.row.execution_id === executionId ? known : undefined;
    const latest = await findLatest(db, workspaceId, executionId);
    if (latest && latest.temporalRunId === null && !hasEnded(latest.row.status)) {
      // The worker reported before Temporal's response to the start arrived.
      await nameTemporalRun(db, latest.row.run_id, temporalRunId);
      return findByTemporalId(db, workspaceId, temporalRunId);
    }
    const started = await readStart(workspaceId, executionId, temporalRunId);
    if (!started) return undefined;
    await (latest
      ? succeed(latest, started, temporalRunId)
      : register(workspaceId, executionId, temporalRunId, started));
    return findByTemporalId(db, workspaceId, temporalRunId);
  };

  async function readStart(workspaceId: string, executionId: string, temporalRunId: string) {
    const [first] = await cluster
      .readHistory({ workspaceId, executionId, temporalRunId }, 0, 1)
      .catch((error: unknown) => {
        if (hasCode(error, CODES.notFound, CODES.invalidArgument)) return [];
        throw error;
      });
    return first?.workflowExecutionStartedEventAttributes ?? undefined;
  }

  /** An execution has one open run, so the previous latest run has ended; Temporal says how. */
  async function succeed(latest: TemporalRun, started: Started, temporalRunId: string): Promise<void> {
    await refresh(latest);
    if (await findByTemporalId(db, latest.row.workspace_id, temporalRunId)) return;
    const input = await payloads.pack(latest.row.workspace_id, firstOf(started.input));
    const end = { status: 'TERMINATED', timeMs: now(), reason: 'Another run took its place.' } as const;
    await mirror.recordReset(latest.row, temporalRunId, input, end);
  }

  async function register(workspaceId: string, executionId: string, temporalRunId: string, started: Started) {
    const workflowName = started.workflowType?.name ?? '';
    const registration = await findRegistration(workspaceId, workflowName, started.taskQueue?.name ?? undefined);
    if (!registration) {
      log.warn(
        { workspace_id: workspaceId, execution_id: executionId },
        'a run on Temporal has no registered workflow',
      );
      return;
    }
    const { parentWorkflowExecution } = started;
    const parent = parentWorkflowExecution?.runId
      ? await findByTemporalId(db, workspaceId, parentWorkflowExecution.runId)
      : undefined;
    const input = await payloads.pack(workspaceId, firstOf(started.input));
    const organizationId = parent?.row.organization_id ?? (await options.organizationOf(workspaceId));
    if (organizationId === undefined) return;
    await mirror.committer.commit(async (unit) => {
      if (await unit.findRun(workspaceId, temporalRunId)) return;
      await mirror.begin(
        unit,
        {
          ...registration,
          organizationId,
          workspaceId,
          userId: parent?.row.user_id ?? null,
          executionId,
          runId: temporalRunId,
          isNamedByCaller: true,
          workflowName,
          input,
          ...(parent
            ? {
                parent: {
                  executionId: parent.row.execution_id,
                  runId: parent.row.run_id,
                  rootExecutionId: parent.row.root_execution_id,
                  chainRunId: chainOf(parent.row),
                  initiatedEventId: Number(started.parentInitiatedEventId ?? 0),
                  seq: 0,
                  isWaiting: false,
                  closePolicy: 'abandon',
                },
              }
            : {}),
        },
        temporalRunId,
      );
    });
  }
}
