import { createLazyRoute } from '@tanstack/react-router';
import { LinkPage } from './link-page.tsx';
import { SignInPage } from './sign-in-page.tsx';

export const signIn = createLazyRoute('/sign-in')({ component: SignInPage });
export const link = createLazyRoute('/link/$token')({ component: LinkPage });
