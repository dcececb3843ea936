import type { AnyRoute } from '../../kit/http/index.ts';
import type { AdminService } from '../service/admin-service.ts';
import { billingRoutes } from './billing.ts';
import { groupRoutes } from './groups.ts';
import { invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys.ts';
import { serviceAccountRoutes } from './service-accounts.ts';
import { userRoutes } from './users.ts';
import { workspaceRoutes } from './workspaces.ts';

export function adminRoutes(admin: AdminService): AnyRoute[] {
  return [
    ...userRoutes(admin),
    ...workspaceRoutes(admin),
    ...billingRoutes(admin),
    ...groupRoutes(admin),
    ...keyRoutes(admin),
    ...serviceAccountRoutes(admin),
    ...invitationRoutes(admin),
  ];
}
