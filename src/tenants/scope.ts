import type { KeyKind } from './key-format.ts';
import type { Plan, UserIdentity } from './schema.ts';

declare module '../kit/http/scope.ts' {
  interface Scope {
    kind: KeyKind;
    key_id: string;
    organization_id: string;
    plan: Plan;
    /** Empty on an admin key, which belongs to no workspace. */
    workspace_id: string;
    user_id: string;
    identity: UserIdentity;
  }
}

export type { Scope } from '../kit/http/index.ts';
