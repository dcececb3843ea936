export { createInvitationDelivery, createInvitationPost } from './deliver-invitations.ts';
export { adminRoutes } from './routes.ts';
export { type AdminService, createAdminService } from './service.ts';
