import { type Db, inOrder, padValues, prepareFor, readGroups, storedBytes, type Tx } from '../../kit/db/index.ts';
import type { Entry, StoredEntry } from '../schema/entries.ts';
import type { Handle, Owner } from './conversations.ts';

const ENTRIES_PER_SEARCH = 10_000;

const listFrom = prepareFor((db, conversationId: string, from: number) =>
  db
    .selectFrom('conversation_entries')
    .select(['entry', 'memo'])
    .where('conversation_id', '=', conversationId)
    .where('position', '>=', from)
    .orderBy('position'),
);

export function listEntries(db: Db, conversationId: string, from = 0): Promise<StoredEntry[]> {
  return listFrom(db, conversationId, from);
}

/** Of all conversations of a user. Copies of a conversation have the same ids; any of them will do. */
export async function listEntriesById(db: Db, owner: Owner, ids: readonly string[]): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  for (let at = 0; at < ids.length; at += ENTRIES_PER_SEARCH)
    found.push(
      ...(await db
        .selectFrom('conversations')
        .innerJoin('conversation_entries', 'conversation_entries.conversation_id', 'conversations.id')
        .select(['entry', 'memo'])
        .where('conversations.workspace_id', '=', owner.workspace_id)
        .where('conversations.user_id', '=', owner.user_id)
        .where('conversation_entries.id', 'in', padValues(ids.slice(at, at + ENTRIES_PER_SEARCH)))
        .execute()),
    );
  return found;
}

/** The entries for responses, in groups; of these types if some are given. */
export async function* readEntries(
  { db, kind }: Handle,
  conversationId: string,
  types?: readonly string[],
): AsyncGenerator<Entry[]> {
  const ofConversation = db.selectFrom('conversation_entries').where('conversation_id', '=', conversationId);
  for (let from = 0; ; ) {
    const found = await ofConversation
      .select(['position', storedBytes(kind, 'entry').as('bytes')])
      .where('position', '>=', from)
      .$if(types !== undefined, (query) => query.where('type', 'in', types ?? []))
      .orderBy('position')
      .limit(ENTRIES_PER_SEARCH)
      .execute();
    yield* readGroups(found, async (group) => {
      const positions = group.map(({ position }) => position);
      const rows = await ofConversation
        .select(['position', 'entry'])
        .where('position', 'in', padValues(positions))
        .execute();
      return inOrder(positions, rows, ({ position }) => position).map(({ entry }) => entry);
    });
    const last = found.at(-1);
    if (!last || found.length < ENTRIES_PER_SEARCH) return;
    from = last.position + 1;
  }
}

/** For confirmations: nothing else of an entry ever changes. */
export async function updateEntry(tx: Tx, conversationId: string, entry: Entry): Promise<void> {
  await tx
    .updateTable('conversation_entries')
    .set({ entry: JSON.stringify(entry) })
    .where('conversation_id', '=', conversationId)
    .where('id', '=', entry.id)
    .execute();
}

export async function deleteEntriesFrom(tx: Tx, conversationId: string, position: number): Promise<void> {
  await tx
    .deleteFrom('conversation_entries')
    .where('conversation_id', '=', conversationId)
    .where('position', '>=', position)
    .execute();
  await tx.updateTable('conversations').set({ entry_count: position }).where('id', '=', conversationId).execute();
}
