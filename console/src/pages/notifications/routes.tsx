import { createLazyRoute } from '@tanstack/react-router';
import { EndpointPage } from './endpoint-page.tsx';
import { NotificationsPage } from './notifications-page.tsx';

export const list = createLazyRoute('/shell/notifications')({ component: NotificationsPage });
export const endpoint = createLazyRoute('/shell/notifications/$endpointId')({ component: EndpointPage });
