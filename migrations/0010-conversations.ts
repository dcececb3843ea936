import type { Migration } from '../src/kit/db/index.ts';

export const conversations: Migration = {
  name: '0010-conversations',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint }) => [
    `create table conversations (
      id ${text} primary key,
      workspace_id ${text} not null references workspaces (id),
      user_id ${text} not null,
      settings ${json} not null,
      metadata ${json},
      entry_count ${bigint} not null,
      run_id ${text},
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create index conversations_by_owner on conversations (workspace_id, user_id, created_at, id)',
    `create table conversation_entries (
      conversation_id ${text} not null references conversations (id) on delete cascade,
      position ${bigint} not null,
      id ${text} not null,
      type ${text} not null,
      entry ${json} not null,
      memo ${json},
      primary key (conversation_id, position)
    )`,
    'create unique index conversation_entries_by_id on conversation_entries (conversation_id, id)',
    // No reference to the conversation: a reader of the stream may come back after it was deleted.
    `create table conversation_runs (
      id ${text} primary key,
      conversation_id ${text} not null,
      workspace_id ${text} not null,
      user_id ${text} not null,
      state ${text} not null,
      task ${json} not null,
      progress ${json} not null,
      outcome ${json},
      output_from ${bigint} not null,
      event_from ${bigint} not null,
      event_to ${bigint},
      principal ${text} not null,
      idempotency_key ${text},
      request_hash ${text},
      created_ms ${bigint} not null
    )`,
    'create unique index conversation_runs_by_key on conversation_runs (principal, idempotency_key) where idempotency_key is not null',
    'create index conversation_runs_by_conversation on conversation_runs (conversation_id, created_ms)',
    'create index conversation_runs_by_age on conversation_runs (created_ms)',
  ],
};
