import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Announce } from '../../kit/events/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { actorOf } from '../../tenants/index.ts';
import type { Finding } from '../intake/finding.ts';
import { insertFindings, listOpenFindings, updateReviewed } from '../store.ts';

export type OpenFindings = { skill_id: string; name: string; version: number; rules: string[]; found_at: string };

/** Versions whose findings nobody has looked at yet. */
export type FindingReviews = {
  ask(tx: Tx, scope: Scope, found: { skill_id: string; version: number; findings: readonly Finding[] }): Promise<void>;
  waiting(scope: Scope, limit: number): Promise<OpenFindings[]>;
  /** Somebody has looked at them. A second time changes nothing. */
  close(scope: Scope, skillId: string, version: number): Promise<undefined>;
};

export function createFindingReviews(ports: {
  database: Database;
  audit: AuditService;
  announce?: Announce | undefined;
  now: Clock;
}): FindingReviews {
  const { database, audit, announce, now } = ports;
  return {
    async ask(tx, { organization_id, workspace_id }, { skill_id, version, findings }) {
      await insertFindings(tx, { skill_id, version, workspace_id, findings, found_at: isoMicros(now) });
      const data = { skill_id, version, findings: findings.length };
      await announce?.(tx, { type: 'skill.findings', organization_id, workspace_id, data });
    },
    async waiting(scope, limit) {
      const rows = await listOpenFindings(database.db, scope, limit);
      return rows.map(({ findings, ...row }) => ({ ...row, rules: [...new Set(findings.map(({ rule }) => rule))] }));
    },
    async close(scope, skillId, version) {
      await database.transaction(async (tx) => {
        if (!(await updateReviewed(tx, scope, skillId, version, isoMicros(now)))) return;
        const { organization_id, workspace_id } = scope;
        await audit.record(tx, {
          ...{ organization_id, workspace_id, actor: actorOf(scope), event_type: 'skill.update' },
          event_metadata: { version: String(version), findings: 'reviewed' },
          target_type: 'SKILL',
          target_metadata: { id: skillId },
        });
      });
      return undefined;
    },
  };
}
