import type { Scope } from '../../kit/http/index.ts';
import { findUser, updateUser } from '../store/accounts.ts';
import type { TenantPorts } from './ports.ts';
import type { SessionService } from './sessions.ts';

export type ProfileService = {
  /** The name that others see. A provider that sends one sets it again at the next sign-in. */
  rename(scope: Scope, name: { first: string; last: string }): Promise<void>;
};

export function createProfileService({
  database,
  keysSignal,
  sessions,
}: TenantPorts & { sessions: SessionService }): ProfileService {
  return {
    async rename({ user_id }, { first, last }) {
      await database.transaction(async (tx) => {
        const user = await findUser(tx, user_id);
        if (!user) return;
        await updateUser(tx, user_id, { first_name: first, last_name: last });
        // Sessions and keys carry the name of their user.
        keysSignal.raise(tx);
        await sessions.record(tx, user, { event_type: 'user.info.update', event_metadata: { changed: 'name' } });
      });
    },
  };
}
