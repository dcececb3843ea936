import type { Migration } from '../src/kit/db/index.ts';

export const sessions: Migration = {
  name: '0019-sessions',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }) => [
    `create table sessions (
      id ${text} primary key,
      token_hash ${text} not null unique,
      user_id ${text} not null references users (id),
      address ${text} not null,
      user_agent ${text} not null,
      created_at ${text} not null,
      last_seen_at ${text} not null,
      expires_at ${text} not null
    )`,
    'create index sessions_by_user on sessions (user_id, created_at)',

    // A used row is deleted, so it cannot be used again.
    `create table sign_in_links (
      id ${text} primary key,
      token_hash ${text} not null unique,
      user_id ${text} not null references users (id),
      purpose ${text} not null,
      created_at ${text} not null,
      expires_at ${text} not null
    )`,
    'create index sign_in_links_by_user on sign_in_links (user_id)',

    // Failed attempts in the current window, by account and by address.
    `create table sign_in_attempts (
      bucket ${text} primary key,
      attempts ${bigint} not null,
      ends_at_ms ${bigint} not null
    )`,
  ],
};
