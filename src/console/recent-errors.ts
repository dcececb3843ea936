import { type Clock, isoMicros } from '../kit/base/clock.ts';
import type { HttpObserver } from '../kit/http/index.ts';
import type { ConsoleError } from './schema/health.ts';

const KEPT_PER_WORKSPACE = 200;
const WORKSPACES_MAX = 500;
const MESSAGE_CHARACTERS_MAX = 500;

export type RecentErrors = { observer: HttpObserver; list(workspaceId: string, limit: number): ConsoleError[] };

/**
 * What this process refused or failed lately, by workspace. In memory only: it answers "what just went wrong", with the
 * request id that the log of the server knows more about. Who has no scope has no workspace, so a wrong key is not here.
 */
export function createRecentErrors(now: Clock): RecentErrors {
  const byWorkspace = new Map<string, ConsoleError[]>();

  function keep(workspaceId: string, error: ConsoleError): void {
    const errors = byWorkspace.get(workspaceId) ?? [];
    // Set anew, so that the workspace that has been quiet longest is the first to go.
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
