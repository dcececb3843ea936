import { contains, containsInJson, type Database, type Db, padValues, storedBytes } from '../../kit/db/index.ts';
import type { Entry } from '../schema/entries.ts';
import type { ConversationRow, Owner } from './conversations.ts';

/** Only the newest conversations are looked at, so that the cost does not grow with their number. */
const SCANNED_MAX = 500;
/** In each of them, from the first or the last entry on. */
const ENTRIES_EACH = 20;
/** A longer entry is not read for a line of a list. */
const ENTRY_BYTES_MAX = 64 * 1024;

type Handle = Pick<Database, 'db' | 'kind'>;

export type ConversationEntry = Pick<ConversationRow, 'id' | 'settings' | 'updated_at'> & { entry: Entry };

function newest(db: Db, owner: Owner) {
  return db
    .selectFrom('conversations')
    .select(['id', 'settings', 'updated_at', 'entry_count', 'run_id', 'created_at'])
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SCANNED_MAX)
    .as('c');
}

/** The first entry of each conversation of the owner. */
export function listFirstEntries(
  { db, kind }: Handle,
  owner: Owner,
  ids: readonly string[],
): Promise<{ id: string; entry: Entry }[]> {
  return db
    .selectFrom('conversations as c')
    .innerJoin('conversation_entries as e', (join) =>
      join.onRef('e.conversation_id', '=', 'c.id').on('e.position', '=', 0),
    )
    .select(['c.id', 'e.entry'])
    .where('c.workspace_id', '=', owner.workspace_id)
    .where('c.user_id', '=', owner.user_id)
    .where('c.id', 'in', padValues(ids))
    .where(storedBytes(kind, 'e.entry'), '<=', ENTRY_BYTES_MAX)
    .execute();
}

export function searchSettings(
  { db }: Handle,
  owner: Owner,
  text: string,
  limit: number,
): Promise<Pick<ConversationRow, 'id' | 'settings' | 'updated_at'>[]> {
  return db
    .selectFrom(newest(db, owner))
    .select(['c.id', 'c.settings', 'c.updated_at'])
    .where((eb) => eb.or([contains('c.id', text), containsInJson('c.settings', text)]))
    .orderBy('c.created_at', 'desc')
    .limit(limit)
    .execute();
}

export function searchEntries(
  { db, kind }: Handle,
  owner: Owner,
  text: string,
  limit: number,
): Promise<ConversationEntry[]> {
  return db
    .selectFrom(newest(db, owner))
    .innerJoin('conversation_entries as e', 'e.conversation_id', 'c.id')
    .select(['c.id', 'c.settings', 'c.updated_at', 'e.entry'])
    .where('e.position', '<', ENTRIES_EACH)
    .where('e.type', 'in', ['message.input', 'message.output'])
    .where(storedBytes(kind, 'e.entry'), '<=', ENTRY_BYTES_MAX)
    .where(containsInJson('e.entry', text))
    .orderBy('c.created_at', 'desc')
    .limit(limit)
    .execute();
}

/** Calls of tools that wait for a yes or no, in conversations in which nothing runs. */
export async function listPendingCalls({ db }: Handle, owner: Owner, limit: number): Promise<ConversationEntry[]> {
  return db
    .selectFrom(newest(db, owner))
    .innerJoin('conversation_entries as e', 'e.conversation_id', 'c.id')
    .select(['c.id', 'c.settings', 'c.updated_at', 'e.entry'])
    .where('c.run_id', 'is', null)
    .where(({ eb, ref }) => eb('e.position', '>=', eb(ref('c.entry_count'), '-', ENTRIES_EACH)))
    .where('e.type', '=', 'function.call')
    .where(containsInJson('e.entry', 'pending'))
    .orderBy('c.updated_at', 'desc')
    .limit(limit)
    .execute();
}
