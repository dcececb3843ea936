import type { Tx } from '../kit/db/index.ts';
import { type AliasMove, findAliases, listAliases } from './store/aliases.ts';
import type { ObjectRow } from './store/tables.ts';

/** The moves that point these aliases at the version and keep its others. */
export async function movesTo(
  tx: Tx,
  { id }: ObjectRow,
  version: number,
  aliases: readonly string[],
): Promise<AliasMove[]> {
  const names = [...new Set(aliases)];
  const current = await findAliases(tx, id, names);
  return names
    .map((alias) => ({ alias, from: current.get(alias) ?? null, to: version }))
    .filter(({ from, to }) => from !== to);
}

/** The moves that remove all other aliases from the version. */
export async function movesAway(
  tx: Tx,
  { id }: ObjectRow,
  version: number,
  kept: readonly string[],
): Promise<AliasMove[]> {
  const current = (await listAliases(tx, id, { from: version, to: version })).get(version) ?? [];
  return current.filter((alias) => !kept.includes(alias)).map((alias) => ({ alias, from: version, to: null }));
}

/** For the audit log: `production: 3 → 4, staging: none → 4`. */
export function describeMoves(moves: readonly AliasMove[]): Record<string, string> {
  if (moves.length === 0) return {};
  const words = moves.map(({ alias, from, to }) => `${alias}: ${from ?? 'none'} → ${to ?? 'none'}`);
  return { aliases: words.join(', ') };
}
