import type { AuditActor } from '../audit/index.ts';
import type { Scope } from './scope.ts';

/** The organization a change belongs to, and the actor that the audit log names for it. */
export type Caller = { organization_id: string; actor: AuditActor };

/** The actor of the operator's commands, which open the database and need no key. */
export const OPERATOR = { type: 'OTHER', metadata: { name: 'operator' } } as const;

export function callerOf(scope: Scope): Caller {
  return { organization_id: scope.organization_id, actor: actorOf(scope) };
}

/**
 * The one organization that a caller sees; undefined where it is each of the user's, which only a session without a
 * provider sees. Admins create keys for members, and choose their provider.
 */
export function boundOrganization({ sign_in, organization_id }: Scope): string | undefined {
  return sign_in?.provider === null ? undefined : organization_id;
}

/** The actor that the audit log names: a signed-in user, an admin key, or a key and its user or service account. */
export function actorOf({ kind, key_id, user_id, session_id, service_account, identity }: Scope): AuditActor {
  if (session_id !== undefined)
    return { type: 'HUMAN', metadata: { user_uuid: user_id, email: identity.email ?? '', session_id } };
  if (kind === 'admin')
    return { type: 'API_KEY', metadata: { admin_api_key_id: key_id, name: identity.api_key?.name ?? '' } };
  const named = service_account === undefined ? {} : { service_account };
  return { type: 'API_KEY', metadata: { user_uuid: user_id, api_key_id: key_id, ...named } };
}

/** A person who acts on their own account, with or without a session. */
export function humanActor({ id, email }: { id: string; email: string }): AuditActor {
  return { type: 'HUMAN', metadata: { user_uuid: id, email } };
}
