import type { CustomTaskEvent } from '../../../packages/workflows/src/protocol.ts';
import { customTask } from './project-events.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** Public events of custom tasks, in their order. One that was published under its key before is not published again. */
export async function emit(
  unit: WorkUnit,
  run: RunState,
  emitted: { key: string; event: CustomTaskEvent }[],
): Promise<void> {
  for (const { key, event } of emitted) {
    const isNew = await unit.tx
      .insertInto('workflow_emitted')
      .values({ run_id: run.row.run_id, key })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst();
    if (isNew) unit.publish(run, customTask(event));
  }
}
