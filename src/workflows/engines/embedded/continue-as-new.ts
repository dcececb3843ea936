import type { Command } from '../../../../packages/workflows/src/protocol.ts';
import { freshState } from '../port/new-run.ts';
import { continuedAsNew } from '../port/project-events.ts';
import { closeRun } from './end-run.ts';
import { addRun, newRunId } from './start-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** The execution continues with an empty history. The deadline is that of the execution, so it stays. */
export async function continueAsNew(
  unit: WorkUnit,
  run: RunState,
  { input, workflow_name }: Extract<Command, { type: 'continue_as_new' }>,
): Promise<void> {
  const { row } = run;
  const new_run_id = newRunId(unit);
  unit.append(run, 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW', { new_run_id, input });
  await closeRun(unit, run, 'CONTINUED_AS_NEW');
  const workflowName = workflow_name ?? row.workflow_name;
  unit.publish(run, continuedAsNew(row, new_run_id, workflowName, input));
  row.is_latest = false;
  addRun(
    unit,
    {
      ...row,
      ...freshState(unit),
      version: 1,
      run_id: new_run_id,
      is_latest: true,
      has_children: false,
      workflow_name: workflowName,
      continued_run_id: row.run_id,
    },
    input,
  );
}
