import { findPassage, onOneLine } from '../kit/base/find-passage.ts';
import type { Database } from '../kit/db/index.ts';
import type { Entry } from './schema/entries.ts';
import type { ConversationRow, Owner } from './store/conversations.ts';
import {
  type ConversationEntry,
  listFirstEntries,
  listPendingCalls,
  searchEntries,
  searchSettings,
} from './store/overview.ts';

const TITLE_CHARACTERS = 80;

export type FoundConversation = { id: string; name: string | null; detail: string; at: string };
export type PendingConfirmation = { id: string; name: string | null; tool: string; at: string };

/** What lists show of conversations beside the public API: titles, a search, and what waits for a yes or no. */
export type ConversationOverview = {
  /** The first words of each, by id. */
  titles(owner: Owner, ids: readonly string[]): Promise<Record<string, string>>;
  search(owner: Owner, text: string, limit: number): Promise<FoundConversation[]>;
  pending(owner: Owner, limit: number): Promise<PendingConfirmation[]>;
};

export function createOverview(database: Database): ConversationOverview {
  return {
    async titles(owner, ids) {
      const rows = ids.length === 0 ? [] : await listFirstEntries(database, owner, ids);
      return Object.fromEntries(rows.map(({ id, entry }) => [id, titleOf(entry)]));
    },
    async search(owner, text, limit) {
      const [named, said] = await Promise.all([
        searchSettings(database, owner, text, limit),
        searchEntries(database, owner, text, limit * 2),
      ]);
      const found = new Map<string, FoundConversation>();
      for (const row of named) {
        const { name, description } = row.settings;
        if (findPassage([row.id, name, description], text) !== undefined)
          found.set(row.id, { id: row.id, name, detail: description ?? '', at: row.updated_at });
      }
      for (const row of said) {
        const detail = findPassage(contentOf(row.entry), text);
        if (detail !== undefined && !found.has(row.id))
          found.set(row.id, { id: row.id, name: row.settings.name, detail, at: row.updated_at });
      }
      return [...found.values()].slice(0, limit);
    },
    async pending(owner, limit) {
      const rows = await listPendingCalls(database, owner, limit);
      return rows.flatMap(toPending);
    },
  };
}

function toPending({ id, settings, updated_at, entry }: ConversationEntry): PendingConfirmation[] {
  if (entry.type !== 'function.call' || entry.confirmation_status !== 'pending') return [];
  return [{ id, name: nameOf(settings), tool: entry.name, at: updated_at }];
}

const nameOf = ({ name }: ConversationRow['settings']) => name;

function contentOf(entry: Entry): unknown {
  return 'content' in entry ? entry.content : '';
}

function titleOf(entry: Entry): string {
  const content = contentOf(entry);
  const parts = Array.isArray(content) ? (content as { type: string; text?: string }[]) : [];
  const text = typeof content === 'string' ? content : parts.map(({ text: part = '' }) => part).join(' ');
  const words = onOneLine(text.slice(0, TITLE_CHARACTERS * 2));
  return words.length > TITLE_CHARACTERS ? `${words.slice(0, TITLE_CHARACTERS).trimEnd()}…` : words;
}
