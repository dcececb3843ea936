import type { AuditLogEventType, AuditService, TargetType } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import { actorOf, type Scope } from '../../tenants/index.ts';
import type { ObjectErrors } from '../errors.ts';
import type { Rendered, RenderedCache } from '../rendered-cache.ts';
import type { ReplyCache } from '../reply-cache.ts';
import { etagOf, type Selector, type Snapshot } from '../schema.ts';
import type { FindSnapshot } from '../store/snapshots.ts';

type ChangeEvent = 'create' | 'version' | 'update' | 'share' | 'unshare' | 'delete';

/** For the audit log: `details` is text, and none of it is secret. */
export type Change = { event: ChangeEvent; object: { id: string; name: string }; details: Record<string, string> };

export type RegistryOptions<D, W> = {
  database: Database;
  audit: Pick<AuditService, 'record'>;
  now: Clock;
  tokens: PageTokens;
  /** Separates the objects of one room from those of others. */
  kind: string;
  errors: ObjectErrors;
  /** The permission of admins, who may change what others share for reading. */
  administeredBy?: string;
  /** The audit log's names of the changes. `isNameId` if the name of an object is its public id. */
  auditAs: { events: Record<ChangeEvent, AuditLogEventType>; target: TargetType; isNameId?: boolean };
  /** An object as responses show it; the definition is undefined in a list that leaves out definitions. */
  render(snapshot: Snapshot<D | undefined>): W;
  /** The part of a definition that is compared to find equal ones; all of it if left out. */
  identity?(definition: D): unknown;
  /**
   * Up to this many objects with an alias are sorted in memory; a more common alias is soon met by walking the index.
   * Either way the cost of a page does not grow with the number of objects.
   */
  rareHoldersMax?: number;
  /** How many versions of a history one query finds. */
  versionsPerSearch?: number;
};

/** Shared by reads, lists and changes. */
export type Core<D, W> = RegistryOptions<D, W> & {
  cache: RenderedCache<W>;
  replies: ReplyCache;
  findSnapshot: FindSnapshot;
};

export function renderSnapshot<D, W>({ render, cache }: Core<D, W>, snapshot: Snapshot<D>): Rendered<W> {
  const etag = etagOf(snapshot);
  const known = cache.get(etag);
  if (known) return known;
  const value = render(snapshot);
  const entry = { value, text: JSON.stringify(value), etag };
  cache.add(entry);
  return entry;
}

/** Must be the last step of a change's transaction. */
export function recordChange<D, W>(
  { audit, auditAs: { events, target, isNameId } }: Core<D, W>,
  tx: Tx,
  scope: Scope,
  { event, object: { id, name }, details }: Change,
): Promise<void> {
  return audit.record(tx, {
    organization_id: scope.organization_id,
    workspace_id: scope.workspace_id,
    actor: actorOf(scope),
    event_type: events[event],
    event_metadata: details,
    target_type: target,
    target_metadata: isNameId ? { id: name } : { id, name },
  });
}

export function missingVersion<D, W>({ errors }: Core<D, W>, idOrName: string, { version, alias }: Selector) {
  const which = version === undefined ? `alias '${alias}'` : `version ${version}`;
  return errors.version_not_found(`${idOrName} (${which})`);
}

/** PostgreSQL refuses text with a NUL; a space makes it an alias that cannot exist. */
export function storable(alias: string): string {
  return alias.replaceAll('\0', ' ');
}
