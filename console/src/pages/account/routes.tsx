import { createLazyRoute } from '@tanstack/react-router';
import './account.css';
import { AccountPage } from './account-page.tsx';

export const account = createLazyRoute('/shell/account')({ component: AccountPage });
