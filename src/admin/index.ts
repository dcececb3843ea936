export { adminRoutes } from './routes.ts';
export { type AdminService, createAdminService } from './service.ts';
