import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { actorOf } from '../../tenants/index.ts';
import type { SkillIntake } from '../schema/skills.ts';
import { findIntakePolicy, updateIntakePolicy } from '../store.ts';

/** Whether a workspace accepts skills with findings; it does until an administrator sets `refuse`. */
export type IntakePolicyService = {
  get(scope: Scope): Promise<SkillIntake>;
  set(scope: Scope, intake: SkillIntake): Promise<SkillIntake>;
};

export function createIntakePolicyService(ports: {
  database: Database;
  audit: AuditService;
  now: Clock;
}): IntakePolicyService {
  const { database, audit, now } = ports;
  return {
    get: async ({ workspace_id }) => ({ policy: (await findIntakePolicy(database.db, workspace_id)) ?? 'report' }),
    set: (scope, { policy }) =>
      database.transaction(async (tx) => {
        const { organization_id, workspace_id } = scope;
        const before = (await findIntakePolicy(tx, workspace_id)) ?? 'report';
        if (before === policy) return { policy };
        await updateIntakePolicy(tx, { workspace_id, policy, updated_at: isoMicros(now) });
        await audit.record(tx, {
          organization_id,
          workspace_id,
          actor: actorOf(scope),
          event_type: 'workspace.update',
          event_metadata: { skill_intake_policy: policy, previous_skill_intake_policy: before },
          target_type: 'WORKSPACE',
          target_metadata: { id: workspace_id },
        });
        return { policy };
      }),
  };
}
