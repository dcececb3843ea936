import type { Migration } from '../src/kit/db/index.ts';

export const accounts: Migration = {
  name: '0028-accounts',
  oldestProgram: '0.1.0',
  up: ({ text }) => [
    // Set on a member whose address has an account elsewhere that has not accepted yet; `email` is then a placeholder.
    `alter table users add column pending_email ${text}`,
    'create index users_by_pending_email on users (lower(pending_email))',
    'create index invitations_by_email on invitations (email)',
    // When the owner of the account opened a link that was mailed to the address.
    `alter table users add column email_proven_at ${text}`,
  ],
};
