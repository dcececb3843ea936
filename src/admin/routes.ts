import type { AnyRoute } from '../kit/http/index.ts';
import { billingRoutes } from './routes/billing.ts';
import { groupRoutes } from './routes/groups.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { keyRoutes } from './routes/keys.ts';
import { userRoutes } from './routes/users.ts';
import { workspaceRoutes } from './routes/workspaces.ts';
import type { AdminService } from './service.ts';

/** `admin` is asked for only when a handler is called. */
export function adminRoutes(admin: AdminService): AnyRoute[] {
  return [
    ...userRoutes(admin),
    ...workspaceRoutes(admin),
    ...billingRoutes(admin),
    ...groupRoutes(admin),
    ...keyRoutes(admin),
    ...invitationRoutes(admin),
  ];
}
