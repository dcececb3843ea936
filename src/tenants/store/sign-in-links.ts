import type { Db, Tx } from '../../kit/db/index.ts';
import { shownEmail } from './accounts.ts';

export type LinkPurpose = 'first_sign_in' | 'password_reset';

export type SignInLinkRow = {
  id: string;
  token_hash: string;
  user_id: string;
  purpose: LinkPurpose;
  created_at: string;
  expires_at: string;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    sign_in_links: SignInLinkRow;
  }
}

export async function insertSignInLink(tx: Tx, row: SignInLinkRow): Promise<void> {
  await tx.insertInto('sign_in_links').values(row).execute();
}

export function findSignInLink(db: Db, tokenHash: string) {
  return db
    .selectFrom('sign_in_links')
    .innerJoin('users', 'users.id', 'sign_in_links.user_id')
    .selectAll('sign_in_links')
    .select([shownEmail.as('email'), 'users.pending_email', 'users.first_name', 'users.last_name'])
    .where('sign_in_links.token_hash', '=', tokenHash)
    .executeTakeFirst();
}

/** Returns the link if this call deleted it. */
export function deleteSignInLink(tx: Tx, id: string): Promise<SignInLinkRow | undefined> {
  return tx.deleteFrom('sign_in_links').where('id', '=', id).returningAll().executeTakeFirst();
}

export async function deleteSignInLinksOfUser(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('sign_in_links').where('user_id', '=', userId).execute();
}

export async function deleteEndedSignInLinks(tx: Tx, now: string): Promise<void> {
  await tx.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute();
}
