import type { AuditActor } from '../audit/index.ts';
import { actorOf } from './actor.ts';
import type { Scope } from './scope.ts';

/** In which organization something is done, and in whose name. */
export type By = { organization_id: string; actor: AuditActor };

export function byKey(scope: Scope): By {
  return { organization_id: scope.organization_id, actor: actorOf(scope) };
}
