import { createLazyRoute } from '@tanstack/react-router';
import { AccountPage } from './account-page.tsx';

export const account = createLazyRoute('/shell/account')({ component: AccountPage });
