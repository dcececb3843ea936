import type { KeyKind } from './make-key.ts';
import type { Plan, UserIdentity } from './schema.ts';

declare module '../kit/http/scope.ts' {
  interface Scope {
    kind: KeyKind;
    /** Under which use is counted: the key, or the user where somebody is signed in. */
    key_id: string;
    /** Only where somebody is signed in; there is no key then. */
    session_id?: string;
    organization_id: string;
    plan: Plan;
    /** Empty on an admin key, which belongs to no workspace. */
    workspace_id: string;
    user_id: string;
    identity: UserIdentity;
  }
}

export type { Scope } from '../kit/http/index.ts';
