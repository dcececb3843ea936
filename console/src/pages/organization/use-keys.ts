import { useQuery } from '@tanstack/react-query';
import type { ConsoleKey } from '../../../../src/console/schema/keys.ts';
import { api } from '../../api/api.ts';
import { useRemoval } from '../../ui/use-removal.ts';
import { organizationKey } from './queries.ts';

/** The keys at a path, and revoking one after confirmation. */
export function useKeys(
  path: '/console/api/keys' | '/console/api/admin-keys' | `/console/api/service-accounts/${string}/keys`,
) {
  const query = useQuery({
    queryKey: ['organization', path],
    queryFn: () => api.get<{ keys: ConsoleKey[] }>(path),
  });
  const { ask: askRevoke } = useRemoval<ConsoleKey>({
    title: ({ name, ends_with }) => `Revoke ${name || `…${ends_with}`}?`,
    body: 'Programs that use it lose access immediately. A revoked key cannot be restored.',
    action: 'Revoke',
    run: ({ id }) => api.delete(`${path}/${id}`),
    done: () => 'The key was revoked.',
    reload: organizationKey,
  });
  return { query, askRevoke };
}
