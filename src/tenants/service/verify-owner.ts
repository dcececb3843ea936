import { currentRequest } from '../../kit/http/index.ts';
import { tenantErrors } from '../errors.ts';
import { isPassword } from '../sign-in/hash-password.ts';
import type { UserRow } from '../store/tables.ts';
import type { TenantPorts } from './ports.ts';
import type { Throttle } from './throttle.ts';

/** Throws unless this is the password of the account, or 429 after too many guesses. */
export type VerifyOwner = (user: UserRow, password: string) => Promise<void>;

/** Passwords could be guessed here as well as at the sign-in, so both share one throttle. */
export function createOwnerCheck({ database }: Pick<TenantPorts, 'database'>, throttle: Throttle): VerifyOwner {
  return async ({ email, password_hash }, password) => {
    const attempt = { email, address: currentRequest()?.address ?? '' };
    await throttle.take(attempt);
    if (!password_hash || !(await isPassword(password, password_hash))) throw tenantErrors.invitation_password_wrong();
    await database.transaction((tx) => throttle.giveBack(tx, attempt));
  };
}
