import { ownTurn } from '../kit/base/own-turn.ts';
import type { Db } from '../kit/db/index.ts';
import { matchesFuzzily } from './match-fuzzily.ts';
import { listSearchTexts } from './store/workflows.ts';

/** Comparing with typos takes some microseconds a workflow, so many are compared in several turns. */
const SEARCHED_AT_ONCE = 500;
/** As values of one statement. */
const FOUND_MAX = 10_000;

/** The ids of the workflows whose texts contain every word of a search. */
export async function findByText(db: Db, workspaceId: string, search: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after: string | undefined; found.size < FOUND_MAX; ) {
    const rows = await listSearchTexts(db, workspaceId, after, SEARCHED_AT_ONCE);
    for (const { id, name, display_name, description } of rows)
      if (matchesFuzzily(search, [name, display_name, description, id])) found.add(id);
    if (rows.length < SEARCHED_AT_ONCE) break;
    after = rows.at(-1)?.name;
    await ownTurn();
  }
  return found;
}
