import type { Migration } from '../src/kit/db/index.ts';

export const signIn: Migration = {
  name: '0054-sign-in',
  oldestProgram: '0.1.0',
  up: ({ text, bigint, boolean }) => [
    `create table second_factors (
      user_id ${text} primary key references users (id),
      sealed ${text} not null,
      last_step ${bigint} not null,
      created_at ${text} not null,
      confirmed_at ${text}
    )`,
    // A used row is deleted, so it cannot be used again.
    `create table recovery_codes (
      user_id ${text} not null references users (id),
      code_hash ${text} not null,
      primary key (user_id, code_hash)
    )`,

    // The subject of a provider to whom an account belongs.
    `create table user_identities (
      provider ${text} not null,
      subject ${text} not null,
      user_id ${text} not null references users (id),
      created_at ${text} not null,
      primary key (provider, subject)
    )`,
    'create index user_identities_by_user on user_identities (user_id)',

    // What a session keeps of the provider that signed it in; null for a password or a link.
    `alter table sessions add column provider ${text}`,
    `alter table sessions add column provider_subject ${text}`,
    `alter table sessions add column provider_sid ${text}`,
    `alter table sessions add column provider_tokens ${text}`,
    `alter table sessions add column checked_at_ms ${bigint}`,
    `alter table sessions add column check_due_ms ${bigint}`,
    'create index sessions_by_check on sessions (check_due_ms) where check_due_ms is not null',
    'create index sessions_by_subject on sessions (provider, provider_subject) where provider is not null',

    // How members of an organization must have signed in; null for any way.
    `alter table organizations add column requires_second_factor ${boolean}`,
    `alter table organizations add column required_provider ${text}`,
  ],
};
