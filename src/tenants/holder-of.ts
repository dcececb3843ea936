import type { Holder } from './authenticate/authority.ts';
import type { Scope } from './scope.ts';

/** Whom later work is for. A session may end before it is done: then the user's own rights count. */
export function holderOf({
  key_id,
  user_id,
  workspace_id,
  session_id,
}: Pick<Scope, 'key_id' | 'user_id' | 'workspace_id' | 'session_id'>): Holder {
  return { key_id: session_id === undefined ? key_id : null, user_id, workspace_id };
}
