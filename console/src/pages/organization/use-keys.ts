import { useQuery } from '@tanstack/react-query';
import type { ConsoleKey } from '../../../../src/console/schema/keys.ts';
import { api } from '../../api/api.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { useChange } from './use-change.ts';

/** The keys at a path, and revoking one after confirmation. */
export function useKeys(
  path: '/console/api/keys' | '/console/api/admin-keys' | `/console/api/service-accounts/${string}/keys`,
) {
  const query = useQuery({
    queryKey: ['organization', path],
    queryFn: () => api.get<{ keys: ConsoleKey[] }>(path),
  });
  const confirm = useConfirm();
  const revoke = useChange({
    run: (key: ConsoleKey) => api.delete(`${path}/${key.id}`),
    done: () => 'The key was revoked.',
  });
  const askRevoke = async (key: ConsoleKey) => {
    const sure = await confirm({
      title: `Revoke ${key.name || `…${key.ends_with}`}?`,
      body: 'Programs that use it lose access immediately. A revoked key cannot be restored.',
      action: 'Revoke',
      danger: true,
    });
    if (sure) revoke.mutate(key);
  };
  return { query, askRevoke };
}
