import type { Report, ReportBody } from '../../../../packages/workflows/src/protocol.ts';
import { setSearchKeys } from '../embedded/commands.ts';
import type { RunState, WorkUnit } from '../embedded/work-unit.ts';
import { customTask, type Projected, stepCompleted, stepFailed, stepStarted } from '../port/project-events.ts';
import type { Payloads } from '../port/run-payloads.ts';
import { hasEnded } from '../port/statuses.ts';
import type { Adopt } from './adopt-run.ts';
import type { Ledger } from './run-mirror.ts';
import type { TemporalRun } from './store.ts';

/** What workers on Temporal saw becomes what readers of events are told. */
export function createTakeReports(options: {
  adopt: Adopt;
  ledger: Ledger;
  payloads: Payloads;
  onEnded: (run: TemporalRun) => void;
}) {
  const { adopt, ledger, payloads, onEnded } = options;

  async function pack(workspaceId: string, report: Report): Promise<Report> {
    if (report.type === 'step_completed') return { ...report, result: await payloads.pack(workspaceId, report.result) };
    if (report.type !== 'step_started') return report;
    return { ...report, input: await Promise.all(report.input.map((value) => payloads.pack(workspaceId, value))) };
  }

  return async (workspaceId: string, reports: Report[]): Promise<void> => {
    const runs = new Map<string, TemporalRun | undefined>();
    for (const { execution_id, run_id } of reports)
      if (!runs.has(run_id)) runs.set(run_id, await adopt(workspaceId, execution_id, run_id));
    const packed = await Promise.all(reports.map((report) => pack(workspaceId, report)));
    await ledger.committer.commit(async (unit) => {
      for (const report of packed) {
        const known = runs.get(report.run_id);
        const run = known && (await unit.findRun(workspaceId, known.row.run_id));
        // After the end of a run nothing is told of it any more.
        if (run && !hasEnded(run.row.status)) await take(unit, run, report);
      }
    });
    for (const { type, run_id } of reports) {
      const run = runs.get(run_id);
      if (type === 'ended' && run) onEnded(run);
    }
  };
}

async function take(unit: WorkUnit, run: RunState, report: Report): Promise<void> {
  if (report.type === 'started' || report.type === 'ended') return;
  if (!(await isNew(unit, run, report.key))) return;
  if (report.type === 'search_keys') return setSearchKeys(unit, run, report.keys);
  const projected = project(report);
  if (projected) unit.publish(run, projected);
}

async function isNew(unit: WorkUnit, { row }: RunState, key: string): Promise<boolean> {
  const inserted = await unit.tx
    .insertInto('workflow_emitted')
    .values({ run_id: row.run_id, key })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}

function project(report: ReportBody): Projected | undefined {
  switch (report.type) {
    case 'step_started':
      return stepStarted(report);
    case 'step_completed':
      return stepCompleted(report, report.result);
    case 'step_failed':
      return stepFailed(report, report.failure, report.retried);
    case 'custom_task':
      return customTask(report.event);
    default:
      return undefined;
  }
}
