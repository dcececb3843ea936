import type { Scope } from '../../kit/http/index.ts';
import { tenantErrors } from '../errors.ts';
import { hashPassword, isPassword } from '../sign-in/hash-password.ts';
import { findUser, updateUser } from '../store/accounts.ts';
import { deleteSignInLinksOfUser } from '../store/sign-in-links.ts';
import type { UserRow } from '../store/tables.ts';
import type { DeviceService } from './devices.ts';
import type { TenantPorts } from './ports.ts';
import type { Client, SessionService } from './sessions.ts';
import type { Throttle } from './throttle.ts';

export type PasswordService = {
  /** Throws unless this is the password of the signed-in user, or 429 after too many guesses. */
  verify(scope: Scope, password: string, client: Client): Promise<UserRow>;
  /** Ends the user's other sessions and open links. */
  change(scope: Scope, given: { password: string; newPassword: string }, client: Client): Promise<void>;
};

export function createPasswordService(
  deps: TenantPorts & { sessions: SessionService; devices: DeviceService; throttle: Throttle },
): PasswordService {
  const { database, sessions, devices, throttle } = deps;

  /** A stolen session could guess here as well as at the sign-in, so both share one throttle. */
  async function verify(scope: Scope, password: string, client: Client): Promise<UserRow> {
    const user = await findUser(database.db, scope.user_id);
    if (!user?.password_hash) throw tenantErrors.password_missing();
    const device = await devices.recognise(user.email, client.deviceToken);
    const attempt = { email: user.email, address: client.address, device };
    await throttle.take(attempt);
    if (!(await isPassword(password, user.password_hash))) throw tenantErrors.password_wrong();
    await database.transaction((tx) => throttle.giveBack(tx, attempt));
    return user;
  }

  return {
    verify,
    async change(scope, { password, newPassword }, client) {
      const user = await verify(scope, password, client);
      const password_hash = await hashPassword(newPassword);
      await database.transaction(async (tx) => {
        await updateUser(tx, user.id, { password_hash });
        await deleteSignInLinksOfUser(tx, user.id);
        const ended = await sessions.endOthers(tx, user.id, scope.session_id ?? '');
        const event_metadata = { by: 'owner', sessions_ended: String(ended) };
        await sessions.record(tx, user, { event_type: 'user.password.update', event_metadata });
      });
    },
  };
}
