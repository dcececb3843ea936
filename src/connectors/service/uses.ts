import type { Scope } from '../../kit/http/index.ts';
import { ORGANIZATION_ADMINISTER } from '../../tenants/index.ts';
import type { UseNotes } from '../note-uses.ts';
import type { ConnectorUses } from '../schema/uses.ts';
import { listUses, sumUses } from '../store/uses.ts';
import type { Target } from '../targets.ts';
import { ADMINISTER, type StoredPorts } from './ports.ts';

export type EmailsOf = (organizationId: string, ids: readonly string[]) => Promise<{ id: string; email: string }[]>;

export type UseService = {
  /** Of everybody whom the caller administers, and of the caller. */
  list(caller: Scope, idOrName: string): Promise<ConnectorUses>;
};

const LISTED_MAX = 100;

export function createUseService(
  ports: Pick<StoredPorts, 'database' | 'targets'> & { notes: Pick<UseNotes, 'flush'>; emailsOf: EmailsOf },
): UseService {
  const { database, targets, notes, emailsOf } = ports;
  return {
    async list(caller, idOrName) {
      const target = await targets.get(caller, idOrName);
      // What this process has counted is shown at once.
      await notes.flush();
      const { organization_id } = caller;
      const of = { connector_id: target.id, organization_id, ...seenBy(caller, target) };
      const rows = await listUses(database.db, of, LISTED_MAX);
      const total = await sumUses(database.db, of);
      const ids = [...new Set(rows.map(({ user_id }) => user_id))];
      const people = ids.length === 0 ? [] : await emailsOf(organization_id, ids);
      const emails = new Map(people.map(({ id, email }) => [id, email]));
      const { checked_at = null, last_error = null } = target.row ?? {};
      const uses = rows.map(({ connector_id: _id, organization_id: _organization, ...use }) => ({
        ...use,
        email: emails.get(use.user_id) ?? null,
      }));
      return { checked_at, last_error, total, uses };
    },
  };
}

function seenBy(caller: Scope, { row }: Target): { workspace_id?: string; user_id?: string } {
  if (caller.permissions.has(ORGANIZATION_ADMINISTER)) return {};
  const { workspace_id, user_id } = caller;
  const isOwn = row?.creator_id === user_id && row.workspace_id === workspace_id;
  return isOwn || caller.permissions.has(ADMINISTER) ? { workspace_id } : { workspace_id, user_id };
}
