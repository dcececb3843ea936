import type { Json } from '../../../../packages/workflows/src/protocol.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { type NewRun, newRunRow, takeName } from '../port/new-run.ts';
import { executionStarted } from '../port/project-events.ts';
import { beforePacking } from '../port/run-payloads.ts';
import { searchKeysOf } from '../port/search-keys.ts';
import { scheduleTurn } from './notify-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** The first run of an execution, with its first turn. */
export async function startRun(unit: WorkUnit, request: NewRun): Promise<RunState> {
  if (request.isNamedByCaller) await takeName(unit, request.workspaceId, request.executionId);
  return addRun(unit, newRunRow(unit, request), request.input);
}

/** Also for the runs that continue an execution. */
export function addRun(unit: WorkUnit, row: RunRow, input: Json): RunState {
  const run = unit.addRun(row);
  unit.append(run, 'WORKFLOW_EXECUTION_STARTED', {
    input,
    workflow_name: row.workflow_name,
    attempt: 1,
    first_run_id: row.first_run_id,
    ...(row.continued_run_id === null ? {} : { continued_run_id: row.continued_run_id }),
    ...(row.parent_run_id === null
      ? {}
      : { parent: { execution_id: row.parent_execution_id, run_id: row.parent_run_id } }),
    ...(row.schedule_id === null ? {} : { schedule_id: row.schedule_id }),
  });
  unit.publish(run, executionStarted(row, input, 1));
  for (const [key, value] of searchKeysOf(row.search_key_paths, beforePacking(input)))
    unit.insertSearchKey(run, key, value);
  scheduleTurn(unit, run);
  return run;
}

export const newRunId = (unit: WorkUnit): string => uuidv7(unit.nowMs);
