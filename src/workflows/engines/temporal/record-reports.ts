import type { Report, ReportBody } from '../../../../packages/workflows/src/protocol.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { insertEmitted } from '../../store/emitted.ts';
import { customTask, type Projected, stepCompleted, stepFailed, stepStarted } from '../port/project-events.ts';
import type { Payloads } from '../port/run-payloads.ts';
import type { RunState, RunUnit } from '../port/run-unit.ts';
import type { Adopt } from './adopt-run.ts';
import { ALL_SAID } from './hear-out.ts';
import type { RunMirror } from './run-mirror.ts';
import type { TemporalRun } from './store.ts';

/** Turns reports of workers on Temporal into public events. */
export function createRecordReports(options: {
  adopt: Adopt;
  mirror: RunMirror;
  payloads: Payloads;
  onEnded: (run: TemporalRun) => void;
}) {
  const { adopt, mirror, payloads, onEnded } = options;

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
    await mirror.committer.commit(async (unit) => {
      for (const report of packed) {
        const known = runs.get(report.run_id);
        const run = known && (await unit.findRun(workspaceId, known.row.run_id));
        // A run that has ended publishes no more events.
        if (run && !hasEnded(run.row.status)) await take(unit, run, report);
      }
    });
    for (const { type, run_id } of reports) {
      const run = runs.get(run_id);
      if (type === 'ended' && run) onEnded(run);
    }
  };
}

async function take(unit: RunUnit, run: RunState, report: Report): Promise<void> {
  if (report.type === 'started') return;
  if (report.type === 'ended') return void (await insertEmitted(unit.tx, run.row.run_id, ALL_SAID));
  if (!(await insertEmitted(unit.tx, run.row.run_id, report.key))) return;
  if (report.type === 'search_keys') return unit.setSearchKeys(run, report.keys);
  const projected = project(report);
  if (projected) unit.publish(run, projected);
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
