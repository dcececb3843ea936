import type { AgentAliasResponse } from './schema.ts';

type Move = { alias: string; to_version: number | null; moved_at: string };

/** The aliases as they stand, from how they moved, newest first. One that was taken away and set again began anew. */
export function aliasesFrom(moves: readonly Move[]): AgentAliasResponse[] {
  const standing = new Map<string, AgentAliasResponse>();
  for (const { alias, to_version, moved_at } of [...moves].reverse()) {
    if (to_version === null) standing.delete(alias);
    else
      standing.set(alias, {
        alias,
        version: to_version - 1,
        created_at: standing.get(alias)?.created_at ?? moved_at,
        updated_at: moved_at,
      });
  }
  return [...standing.values()].sort((a, b) => (a.alias < b.alias ? -1 : 1));
}
