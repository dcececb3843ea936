import SqliteConnection from 'better-sqlite3';
import { answer } from './answer.ts';

// Inserts conversations directly, as fast as SQLite allows, into a database that a stopped server has created.
const [file = ''] = process.argv.slice(2);
const CACHE_KIB = 256 * 1024;

answer({ fill });

/** Returns the ids of the conversations; each has one user and one model, half questions and half replies. */
function fill({ conversations, entries }: { conversations: number; entries: number }): string[] {
  const connection = new SqliteConnection(file);
  connection.pragma('journal_mode = OFF');
  connection.pragma('synchronous = OFF');
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  const owner = connection.prepare('select workspace_id, user_id from workspace_members').get() as {
    workspace_id: string;
    user_id: string;
  };
  const conversation = connection.prepare(
    `insert into conversations (id, workspace_id, user_id, settings, metadata, entry_count, run_id, created_at, updated_at)
      values (?, ?, ?, ?, null, ?, null, ?, ?)`,
  );
  const entry = connection.prepare(
    'insert into conversation_entries (conversation_id, position, id, type, entry, memo) values (?, ?, ?, ?, ?, null)',
  );
  const settings = JSON.stringify(settingsOf());
  const ids = Array.from({ length: conversations }, (_, i) => `conv_${hexOf(i)}`);
  connection.transaction(() => {
    for (const [number, id] of ids.entries()) {
      const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString().replace('Z', '000Z');
      conversation.run(id, owner.workspace_id, owner.user_id, settings, entries, at, at);
      for (let position = 0; position < entries; position++) {
        const made = entryOf(hexOf(position), position, at);
        entry.run(id, position, made.id, made.type, JSON.stringify(made));
      }
    }
  })();
  connection.pragma('journal_mode = WAL');
  connection.close();
  return ids;
}

const hexOf = (number: number) => number.toString(16).padStart(32, '0');

function entryOf(hex: string, position: number, at: string) {
  const common = { object: 'entry', created_at: at, completed_at: at };
  return position % 2 === 0
    ? {
        id: `msg_${hex}`,
        type: 'message.input',
        ...common,
        role: 'user',
        content: `Question ${position}, in a few words.`,
      }
    : {
        id: `msg_${hex}`,
        type: 'message.output',
        ...common,
        role: 'assistant',
        agent_id: null,
        model: 'bench',
        content: `Answer ${position}, in some more words than that.`,
      };
}

function settingsOf() {
  return {
    kind: 'model',
    name: null,
    description: null,
    model: 'bench',
    instructions: null,
    tools: [],
    completion_args: { tool_choice: 'auto' },
    guardrails: null,
  };
}
