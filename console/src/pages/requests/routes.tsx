import { createLazyRoute } from '@tanstack/react-router';
import { RequestPage } from './request-page.tsx';
import { RequestsPage } from './requests-page.tsx';

export const list = createLazyRoute('/shell/requests')({ component: RequestsPage });
export const request = createLazyRoute('/shell/requests/$traceId/$spanId')({ component: RequestPage });
