import { loadSecret } from '../../kit/db/index.ts';
import { createDeviceTokens } from '../sign-in/device-token.ts';
import { findUser, findUserByAddress } from '../store/accounts.ts';
import type { TenantPorts } from './ports.ts';

export type DeviceService = {
  /** A token with which the browser is recognised at the next sign-in. */
  issue(userId: string): Promise<string | undefined>;
  /** The id of the browser, if it has signed in to the account of this address. */
  recognise(email: string, token: string | undefined): Promise<string | undefined>;
};

export function createDeviceService({ database, now }: Pick<TenantPorts, 'database' | 'now'>): DeviceService {
  let loading: Promise<ReturnType<typeof createDeviceTokens>> | undefined;
  const tokens = () => (loading ??= loadSecret(database, 'devices', now).then(createDeviceTokens));
  return {
    async issue(userId) {
      const user = await findUser(database.db, userId);
      return user && (await tokens()).issue(user);
    },
    async recognise(email, token) {
      if (token === undefined) return undefined;
      const user = await findUserByAddress(database.db, email.trim());
      return user && (await tokens()).verify(token, user);
    },
  };
}
