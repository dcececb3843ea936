import { createLazyRoute } from '@tanstack/react-router';
import { ApprovalsPage } from './approvals-page.tsx';

export const list = createLazyRoute('/shell/approvals')({ component: ApprovalsPage });
