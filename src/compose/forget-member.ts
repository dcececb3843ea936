import { systemClock } from '../kit/base/clock.ts';
import type { Database, Tx } from '../kit/db/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import type { TenantService } from '../tenants/index.ts';
import type { TraceService } from '../traces/index.ts';

export const FORGET_QUEUE = 'forget-members';

export type LeavingMember = { organization_id: string; user_id: string };

/** By then all servers have ended the member's requests and written their spans. */
const SETTLE_MS = 5000;
const PAGE = 100;

/** What a member has said may be much, so it is deleted by a task that commits with their removal. */
export function enqueueForgetting(database: Database, tx: Tx, member: LeavingMember): Promise<string> {
  const tasks = createTasks({ database, now: systemClock });
  return tasks.enqueue(tx, { queue: FORGET_QUEUE, payload: member, runAtMs: systemClock() + SETTLE_MS });
}

/** In all workspaces of the organization, also archived ones. */
export async function forgetMember(
  { workspaces }: Pick<TenantService, 'workspaces'>,
  { contents }: Pick<TraceService, 'contents'>,
  { organization_id, user_id }: LeavingMember,
): Promise<void> {
  for (const isArchived of [false, true])
    for (let offset = 0, isMore = true; isMore; offset += PAGE) {
      const page = await workspaces.list(organization_id, { isArchived, offset, limit: PAGE });
      for (const { id } of page.workspaces) await contents.forgetUser(id, user_id);
      isMore = page.workspaces.length === PAGE;
    }
}
