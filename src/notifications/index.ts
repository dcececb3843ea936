export { type Announcer, createAnnouncer } from './announce.ts';
export { notificationErrors } from './errors.ts';
export { notificationRoutes } from './routes.ts';
export { resealNotificationSecrets } from './seal-secrets.ts';
export { createNotificationService, type NotificationService } from './service/index.ts';
