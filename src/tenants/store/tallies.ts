import type { Db } from '../../kit/db/index.ts';
import type { TallyNoun } from './tables.ts';

/** The total of a list, kept by triggers. */
export async function findTally(db: Db, scopeId: string, noun: TallyNoun): Promise<number> {
  const row = await db
    .selectFrom('tallies')
    .select('amount')
    .where('scope_id', '=', scopeId)
    .where('noun', '=', noun)
    .executeTakeFirst();
  return row?.amount ?? 0;
}
