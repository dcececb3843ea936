import { contains, type Db } from '../../kit/db/index.ts';
import type { RunRow } from './run-tables.ts';

/** A search looks at the newest runs only, so that its cost does not grow with their number. */
const SCANNED_MAX = 2000;

export function searchRuns(
  db: Db,
  workspaceId: string,
  text: string,
  limit: number,
): Promise<Pick<RunRow, 'execution_id' | 'workflow_name' | 'status' | 'started_at'>[]> {
  return db
    .selectFrom((from) =>
      from
        .selectFrom('workflow_runs')
        .select(['execution_id', 'workflow_name', 'run_id', 'status', 'started_at'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('started_at', 'desc')
        .orderBy('run_id', 'desc')
        .limit(SCANNED_MAX)
        .as('r'),
    )
    .select(['r.execution_id', 'r.workflow_name', 'r.status', 'r.started_at'])
    .where((eb) =>
      eb.or([contains('r.execution_id', text), contains('r.workflow_name', text), eb('r.run_id', '=', text)]),
    )
    .orderBy('r.started_at', 'desc')
    .limit(limit)
    .execute();
}
