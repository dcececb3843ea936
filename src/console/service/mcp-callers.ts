import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { HttpObserver } from '../../kit/http/index.ts';
import type { McpCallers } from '../schema/mcp.ts';

const ROUTE = '/mcp';
const KEPT_PER_WORKSPACE = 100;
const WORKSPACES_MAX = 500;
const CLIENT_CHARACTERS_MAX = 120;

type Caller = McpCallers['callers'][number];
export type RecentMcpCallers = { observer: HttpObserver; list(workspaceId: string): Caller[] };

/** Who called the MCP server of a workspace, in memory of this process only. MCP has no sessions to count. */
export function createMcpCallers(now: Clock): RecentMcpCallers {
  const byWorkspace = new Map<string, Map<string, Caller>>();

  function callersOf(workspaceId: string): Map<string, Caller> {
    const callers = byWorkspace.get(workspaceId) ?? new Map<string, Caller>();
    // Reinserted at the end, so that the first entry is always the one that was called the longest time ago.
    byWorkspace.delete(workspaceId);
    dropFirst(byWorkspace, WORKSPACES_MAX);
    byWorkspace.set(workspaceId, callers);
    return callers;
  }

  return {
    observer: {
      onResponse({ scope, headers }, { statusCode }, route) {
        if (route !== ROUTE || !scope?.workspace_id) return;
        const { key_id, identity } = scope;
        const client = (headers['user-agent'] ?? 'unknown').slice(0, CLIENT_CHARACTERS_MAX);
        const callers = callersOf(scope.workspace_id);
        const id = `${key_id} ${client}`;
        const { calls = 0, refused = 0 } = callers.get(id) ?? {};
        callers.delete(id);
        dropFirst(callers, KEPT_PER_WORKSPACE);
        callers.set(id, {
          key_id,
          key_name: identity.api_key?.name ?? identity.email ?? 'A key without a name',
          client,
          calls: calls + 1,
          refused: refused + (statusCode >= 400 ? 1 : 0),
          last_at: isoMicros(now),
        });
      },
    },
    list: (workspaceId) => [...(byWorkspace.get(workspaceId)?.values() ?? [])].toReversed(),
  };
}

function dropFirst(map: Map<string, unknown>, max: number): void {
  const [first] = map.keys();
  if (map.size >= max && first !== undefined) map.delete(first);
}
