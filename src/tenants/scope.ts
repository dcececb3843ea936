import type { KeyKind, Plan, SignInState, UserIdentity } from './schema.ts';

declare module '../kit/http/scope.ts' {
  interface Scope {
    kind: KeyKind;
    /** Only in a session, which has no key. */
    session_id?: string;
    /** Only in a session: how its user signed in. */
    sign_in?: SignInState;
    plan: Plan;
    /** Empty on an admin key, which belongs to no workspace. */
    workspace_id: string;
    user_id: string;
    /** When the key or the session ends by itself, as far as it is known. */
    expires_at_ms?: number | undefined;
    /** Only of a client token, which is for live sessions with this model. */
    client_model?: string;
    /** The models that the key may use; left out, all. */
    allowed_models?: readonly string[];
    /** The kinds of tools that the server may run for the key; left out, all. */
    allowed_tools?: readonly string[];
    /** The name of the service account whose key this is. */
    service_account?: string;
    identity: UserIdentity;
  }
}

export type { Scope } from '../kit/http/index.ts';
