import type { Pending } from './provider-client.ts';
import { createSealedCookie } from './sealed-cookie.ts';

/** A sign-in on its way: at which provider, with what, and for the account of which session it is, if any. */
export type PendingSignIn = Pending & {
  provider: string;
  redirectUrl: string;
  /** A page of the console. */
  to: string;
  join?: { user_id: string; email: string; session_id: string } | undefined;
  /** The token of an invitation that it accepts. */
  invitation?: string | undefined;
};

/** It comes back with the redirect of the provider's page. */
export const pendingCookie = createSealedCookie<PendingSignIn>('tramontane_sign_in', '/console/api/sign-in', 600);
