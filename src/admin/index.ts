export { createInvitationDelivery, createInvitationPost } from './deliver-invitations.ts';
export { adminErrors } from './errors.ts';
export { createRefusalLog } from './record-refusals.ts';
export { adminRoutes } from './routes/admin-routes.ts';
export { type AdminService, createAdminService } from './service/admin-service.ts';
