import { ApiError } from '../api/api.ts';
import { queryClient } from '../api/query-client.ts';
import { onUnauthorized } from '../api/request.ts';
import { end, sessionQuery } from '../api/session.ts';
import type { Router } from '../router.ts';

/** On a 401, checks whether the session has ended and then redirects to the sign-in page, remembering the address. */
export function watchSession(router: Router): void {
  let asking = false;
  onUnauthorized(async () => {
    if (asking) return;
    asking = true;
    try {
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) return;
      const to = router.state.location.href;
      await router.navigate({ to: '/sign-in', search: { to, expired: true } });
      end();
    } finally {
      asking = false;
    }
  });
}
