import type { Scope } from '../../kit/http/index.ts';
import type { Approval, ConsoleApprovals } from '../schema/approvals.ts';

/** A room in which something may wait for a person, and the permission to decide it. */
export type ApprovalSource = {
  kind: Approval['kind'];
  permission: string;
  list(scope: Scope, limit: number): Promise<Omit<Approval, 'kind'>[]>;
};

const EACH_MAX = 50;

/** Everything that waits for the caller, newest first. */
export function createApprovals(sources: readonly ApprovalSource[]) {
  return async (scope: Scope): Promise<ConsoleApprovals> => {
    const allowed = sources.filter(({ permission }) => scope.permissions.has(permission));
    const lists = await Promise.all(
      allowed.map(async ({ kind, list }) => (await list(scope, EACH_MAX + 1)).map((one) => ({ kind, ...one }))),
    );
    return {
      approvals: lists.flatMap((list) => list.slice(0, EACH_MAX)).sort((a, b) => (a.since < b.since ? 1 : -1)),
      has_more: lists.some((list) => list.length > EACH_MAX),
    };
  };
}
