import { SlotMap } from '../kit/base/slot-map.ts';
import type { Database } from '../kit/db/index.ts';
import type { StoredEntry } from './schema/entries.ts';
import type { ConversationRow, Owner } from './store/conversations.ts';

const CHARACTERS_MAX = 4 * 1024 * 1024;
const CHARACTERS_EACH_MAX = 128 * 1024;
const CONVERSATIONS_MAX = 1000;
/** The members of an entry beside its text. */
const ENTRY_CHARACTERS = 512;

/** A conversation as its last run left it. `updated_at` is its version: each run changes it. */
export type WarmConversation = Pick<
  ConversationRow,
  'id' | 'workspace_id' | 'user_id' | 'settings' | 'metadata' | 'updated_at'
> & { history: readonly StoredEntry[] };

/**
 * Conversations whose last run ended here, so that the next append need not read them: whoever takes one claims it with its
 * version. The longest unused go first.
 */
export type WarmConversations = {
  /** Whoever takes it is the only one: while its run lasts, others find nothing here. */
  take(owner: Owner, id: string): WarmConversation | undefined;
  keep(conversation: WarmConversation): void;
};

/** Only where this process alone appends: on PostgreSQL another server may have, and each wrong guess costs a second try. */
export function createWarmConversations({ kind }: Pick<Database, 'kind'>): WarmConversations {
  const kept = new SlotMap<{ conversation: WarmConversation; characters: number }>();
  let characters = 0;

  function drop(id: string): void {
    characters -= kept.get(id)?.characters ?? 0;
    kept.delete(id);
  }

  return {
    take({ workspace_id, user_id }, id) {
      const found = kept.get(id)?.conversation;
      if (found?.workspace_id !== workspace_id || found.user_id !== user_id) return undefined;
      drop(id);
      return found;
    },
    keep(conversation) {
      const { id } = conversation;
      drop(id);
      if (kind !== 'sqlite') return;
      const size = measure(conversation);
      if (size > CHARACTERS_EACH_MAX) return;
      kept.set(id, { conversation, characters: size });
      characters += size;
      for (const oldest of kept.keys()) {
        if (characters <= CHARACTERS_MAX && kept.size <= CONVERSATIONS_MAX) break;
        drop(oldest);
      }
    },
  };
}

/** Those of a conversation that stays warm are the same objects. */
const settingsSizes = new WeakMap<object, number>();

function measureSettings({ settings, metadata }: WarmConversation): number {
  const known = settingsSizes.get(settings);
  if (known !== undefined) return known;
  const size = JSON.stringify([settings, metadata]).length;
  settingsSizes.set(settings, size);
  return size;
}

function measure(conversation: WarmConversation): number {
  let size = measureSettings(conversation);
  const { history } = conversation;
  for (const { entry, memo } of history) {
    if (size > CHARACTERS_EACH_MAX) break;
    const isText = 'content' in entry && typeof entry.content === 'string' && !memo?.call && !memo?.chunks;
    size += isText ? entry.content.length + ENTRY_CHARACTERS : JSON.stringify([entry, memo]).length;
  }
  return size;
}
