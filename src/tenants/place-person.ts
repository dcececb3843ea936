import { uuid } from '../kit/base/ids.ts';
import { type Database, lockFor, type Tx } from '../kit/db/index.ts';
import { belongsElsewhere, findUnusedPending, findUserByAddress, insertUser, updateUser } from './store/accounts.ts';
import { deleteSignInLinksOfUser } from './store/sign-in-links.ts';
import type { UserRow } from './store/tables.ts';

export type Person = Pick<UserRow, 'email' | 'first_name' | 'last_name'>;
/** `isPending`: the address has an account elsewhere, whose owner has yet to accept. */
export type PlacedPerson = { id: string; isNew: boolean; isPending: boolean };

/**
 * The user row with which an address becomes a member. An account that somebody may use, or that another organization
 * has, is neither touched nor shown: the organization gets a row of its own until the owner of the account accepts.
 */
export async function placePerson(
  tx: Tx,
  person: Person,
  { created_at, joinsExisting }: { created_at: string; joinsExisting: boolean },
): Promise<PlacedPerson> {
  const account = await findUserByAddress(tx, person.email);
  const isUnused = account && !account.password_hash && !(await belongsElsewhere(tx, '', account.id));
  if (isUnused) await reuse(tx, account.id, person);
  if (account && (isUnused || joinsExisting)) return { id: account.id, isNew: false, isPending: false };
  const row = { ...person, id: uuid(), created_at };
  if (!account && (await insertUser(tx, row))) return { id: row.id, isNew: true, isPending: false };
  // As an unused account: an id that is new each time would tell that the address has an account elsewhere.
  const earlier = await findUnusedPending(tx, person.email);
  if (earlier) await reuse(tx, earlier.id, person);
  else await insertUser(tx, { ...row, ...pendingAddress(row) });
  return { id: earlier?.id ?? row.id, isNew: !earlier, isPending: true };
}

async function reuse(tx: Tx, id: string, { first_name, last_name }: Person): Promise<void> {
  await deleteSignInLinksOfUser(tx, id);
  await updateUser(tx, id, { first_name, last_name });
}

/** Until the end of the transaction no other organization, and no first password, decides about an address. */
export function lockAccounts(tx: Tx, kind: Database['kind']): Promise<void> {
  return lockFor(tx, kind, 'accounts');
}

/** No address looks like this placeholder, so nobody signs in with it. */
export function pendingAddress({ id, email }: Pick<UserRow, 'id' | 'email'>) {
  return { email: `pending:${id}`, pending_email: email };
}
