import type { AuditActor } from '../audit/index.ts';
import type { Scope } from './scope.ts';

/** Whoever a key stands for, as the audit log names him. */
export function actorOf({ key_id, user_id }: Scope): AuditActor {
  return { type: 'API_KEY', metadata: { user_uuid: user_id, api_key_id: key_id } };
}
