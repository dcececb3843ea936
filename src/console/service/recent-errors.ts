import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { HttpObserver } from '../../kit/http/index.ts';
import type { ConsoleError } from '../schema/health.ts';

const KEPT_PER_WORKSPACE = 200;
const WORKSPACES_MAX = 500;
const MESSAGE_CHARACTERS_MAX = 500;

export type RecentErrors = { observer: HttpObserver; list(workspaceId: string, limit: number): ConsoleError[] };

/**
 * The latest failed requests of this process, by workspace, in memory only. Their request ids lead to the server's log.
 * A request with an invalid key has no workspace and is not listed.
 */
export function createRecentErrors(now: Clock): RecentErrors {
  const byWorkspace = new Map<string, ConsoleError[]>();

  function keep(workspaceId: string, error: ConsoleError): void {
    const errors = byWorkspace.get(workspaceId) ?? [];
    // Reinserted at the end, so that the first entry is always the workspace without an error for the longest time.
    byWorkspace.delete(workspaceId);
    if (byWorkspace.size >= WORKSPACES_MAX) byWorkspace.delete(byWorkspace.keys().next().value ?? '');
    errors.unshift(error);
    if (errors.length > KEPT_PER_WORKSPACE) errors.pop();
    byWorkspace.set(workspaceId, errors);
  }

  return {
    observer: {
      onResponse(request, { statusCode }, route) {
        const { scope } = request;
        if (statusCode < 400 || !scope?.workspace_id) return;
        keep(scope.workspace_id, {
          at: isoMicros(now),
          method: request.method,
          route,
          status: statusCode,
          request_id: request.id,
          message: (request.failure ?? '').slice(0, MESSAGE_CHARACTERS_MAX),
          key_id: scope.key_id,
        });
      },
    },
    list: (workspaceId, limit) => (byWorkspace.get(workspaceId) ?? []).slice(0, limit),
  };
}
