import type { Announcement } from '../../../kit/events/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { OwnEvent } from './project-events.ts';

const ENDS = new Set(['WORKFLOW_EXECUTION_COMPLETED', 'WORKFLOW_EXECUTION_FAILED', 'WORKFLOW_EXECUTION_CANCELED']);
const QUESTION = 'wait_for_input';

/** What an event means outside: an execution ended, or waits for a person. Those of children concern their parent alone. */
export function announcementOf({ event_type, attributes }: OwnEvent, run: RunRow): Announcement | undefined {
  const { organization_id, workspace_id, execution_id, run_id, workflow_name, status } = run;
  const about = { organization_id, workspace_id };
  const data = { execution_id, run_id, workflow_name };
  if (ENDS.has(event_type) && hasEnded(status) && run.parent_execution_id === null)
    return { type: 'execution.ended', ...about, data: { ...data, status } };
  if (event_type === 'CUSTOM_TASK_STARTED' && attributes.custom_task_type === QUESTION)
    return { type: 'execution.waiting', ...about, data: { ...data, task_id: String(attributes.custom_task_id ?? '') } };
  return undefined;
}
