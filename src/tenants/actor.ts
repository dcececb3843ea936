import type { AuditActor } from '../audit/index.ts';
import type { Scope } from './scope.ts';

/** Whoever a key or a session stands for, as the audit log names him. An admin key stands for nobody but itself. */
export function actorOf({ kind, key_id, user_id, session_id, identity }: Scope): AuditActor {
  if (session_id !== undefined)
    return { type: 'HUMAN', metadata: { user_uuid: user_id, email: identity.email ?? '', session_id } };
  if (kind === 'admin')
    return { type: 'API_KEY', metadata: { admin_api_key_id: key_id, name: identity.api_key?.name ?? '' } };
  return { type: 'API_KEY', metadata: { user_uuid: user_id, api_key_id: key_id } };
}
