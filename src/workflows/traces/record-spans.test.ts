import { expect, it } from 'vitest';
import type { WorkSpan } from '../../metering/index.ts';
import type { OwnEvent } from '../engines/port/project-events.ts';
import type { RunRow } from '../store/run-tables.ts';
import { createSpanRecorder } from './record-spans.ts';

const STEPS = 20_001;

it('steps whose end is seen elsewhere are forgotten, the oldest first', () => {
  const spans: WorkSpan[] = [];
  const record = createSpanRecorder((span) => void spans.push(span));
  const event = (event_type: string, task_id: string, ms: number): OwnEvent => ({
    ...{ event_id: '', event_timestamp: ms * 1000, event_type },
    attributes: { task_id, activity_name: 'step' },
  });
  const run = (run_id: string) =>
    ({ run_id, root_execution_id: run_id, execution_id: run_id, workflow_name: 'w' }) as RunRow;
  for (let n = 0; n < STEPS; n++)
    record(event('ACTIVITY_TASK_STARTED', String(n), 1), run(n < 10 ? 'first' : 'second'));
  record(event('ACTIVITY_TASK_COMPLETED', '0', 5), run('first'));
  record(event('ACTIVITY_TASK_COMPLETED', '10', 5), run('second'));
  expect(spans.map(({ startedAt, endedAt }) => endedAt - startedAt)).toEqual([0, 4]);
});
