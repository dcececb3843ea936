import type { AuditEntry, AuditLogEventType } from '../audit/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { createPageTokens, defineErrors } from '../kit/http/index.ts';
import type { Scope } from '../tenants/index.ts';
import { createRegistry, objectErrors, type Registry, type Snapshot } from './index.ts';
import type { RegistryOptions } from './service/core.ts';

const event: AuditLogEventType = 'prompt.update';
const events = { create: event, version: event, update: event, share: event, unshare: event, delete: event };

/** A registry of some kind on the database, with its audit entries. */
export function openRegistry(
  database: Database,
  kind = 'thing',
  sizes: Pick<RegistryOptions<unknown, unknown>, 'rareHoldersMax' | 'versionsPerSearch'> = {},
) {
  const recorded: AuditEntry[] = [];
  const registry: Registry<unknown, Snapshot<unknown>> = createRegistry<unknown, Snapshot<unknown>>({
    database,
    audit: { record: async (_tx, entry) => void recorded.push(entry) },
    // The one clock of a process, which never returns a time twice.
    now: systemClock,
    tokens: createPageTokens('the same in every process'),
    kind,
    errors: defineErrors(objectErrors('thing')),
    auditAs: { events, target: 'PROMPT' },
    render: (snapshot) => snapshot,
    ...sizes,
  });
  return { registry, recorded };
}

export function newScope(workspace_id = uuid()): Scope {
  return { workspace_id, user_id: uuid(), kind: 'standard' } as unknown as Scope;
}

export async function itemsOf<W>({ groups }: { groups: AsyncIterable<W[]> }): Promise<W[]> {
  const items: W[] = [];
  for await (const group of groups) items.push(...group);
  return items;
}
