import type { Tenant } from '../kit/fair-queue/index.ts';
import type { Scope } from './scope.ts';

/** The caller as queues see it: turns go by organization, then by key. */
export function tenantOf({
  organization_id: organization,
  key_id: key,
  isBackground = false,
}: Pick<Scope, 'organization_id' | 'key_id' | 'isBackground'>): Tenant {
  return { organization, key, isBackground };
}
