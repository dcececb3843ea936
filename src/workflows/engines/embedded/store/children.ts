import type { Db } from '../../../../kit/db/index.ts';
import { OPEN_STATUSES } from '../../../schema/statuses.ts';

export function findOpenChild(db: Db, parentRunId: string, seq: number) {
  return db
    .selectFrom('workflow_runs')
    .select(['run_id', 'parent_initiated_id'])
    .where('parent_run_id', '=', parentRunId)
    .where('parent_seq', '=', seq)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
}

export function listOpenChildren(db: Db, parentRunId: string) {
  return db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('parent_run_id', '=', parentRunId)
    .where('status', 'in', OPEN_STATUSES)
    .execute();
}

/** The open children that the parent started up to an event of its history. */
export function listOpenChildrenUpTo(db: Db, parentRunId: string, eventId: number) {
  return db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('parent_run_id', '=', parentRunId)
    .where('parent_initiated_id', '<=', eventId)
    .where('ended_at', 'is', null)
    .execute();
}
