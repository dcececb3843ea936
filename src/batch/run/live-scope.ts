import type { Scope } from '../../kit/http/index.ts';
import type { Authority } from '../../tenants/index.ts';
import type { JobRow } from '../store.ts';

/** The scope of a job's requests, read for each of them. It throws when the caller may not run them any more. */
export function createLiveScope(authority: Pick<Authority, 'scopeOf'>, { caller }: JobRow) {
  let last: Scope | undefined;
  let background: Scope | undefined;

  function toBackground(live: Scope): Scope {
    if (live !== last || !background) {
      last = live;
      background = { ...live, isBackground: true };
    }
    return background;
  }

  return (): Scope | Promise<Scope> => {
    const live = authority.scopeOf(caller, 'batch:write');
    return live instanceof Promise ? live.then(toBackground) : toBackground(live);
  };
}
