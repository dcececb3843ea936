import { isoMicros } from '../../kit/base/clock.ts';
import { checkTools, type NoteHeld } from '../check-tools.ts';
import { connectorErrors } from '../errors.ts';
import { missingScope, refusedStatus } from '../explain-failure.ts';
import { findAccess } from '../find-access.ts';
import type { UseNotes } from '../note-uses.ts';
import { noteFailure } from '../refresh-token.ts';
import { credentialsPlace, openSecret, sealText } from '../seal-credentials.ts';
import { listConnectors, listPreferences, updateHealth } from '../store/connectors.ts';
import { updateCredentials } from '../store/credentials.ts';
import { updateHeld } from '../store/tools.ts';
import type { Stored } from './connections.ts';
import type { StoredPorts } from './ports.ts';

const SCOPES = { user: 'user', workspace: 'workspace', org: 'organization' } as const;

/** What connections need of the database. */
export function createStored(ports: StoredPorts & { notes: Pick<UseNotes, 'note'> }): Stored {
  const { database, targets, box, now, log, notes, announce } = ports;
  const { db } = database;
  const access = { db, box, now, log };
  const noteHeld: NoteHeld = (tool, held) =>
    database.transaction(async (tx) => {
      await updateHeld(tx, tool, held);
      const { organization_id, connector_id, name } = tool;
      if (held.held_at === null) return;
      const data = { connector_id, tool: name };
      await announce?.(tx, { type: 'connector.tool.changed', organization_id, workspace_id: null, data });
    });
  return {
    find: targets.find,
    noteUse: notes.note,
    async list(consumer, limit) {
      const rows = await listConnectors(db, consumer, { limit, isActive: true });
      return [...targets.declared(consumer.workspace_id), ...rows.map(targets.fromRow)];
    },
    access: (consumer, target, name) => findAccess(access, consumer, target, name),
    async preferences(consumer, target) {
      const rows = await listPreferences(db, consumer, [target.id]);
      const blocking = rows.find(({ active }) => !active);
      if (blocking) throw connectorErrors.connector_inactive(target.config.id, SCOPES[blocking.consumer_type]);
      return rows.flatMap(({ tool_configuration }) => (tool_configuration ? [tool_configuration] : []));
    },
    check: ({ organization_id }, { id }, { tools, digests }) =>
      checkTools({ db, now, onChange: noteHeld }, { connector_id: id, organization_id }, tools, digests),
    async onFailure(_target, { row }, error) {
      if (!row) return;
      const scope = missingScope(error);
      const status = refusedStatus(error);
      if (scope === undefined && status === undefined) return;
      const secret = scope === undefined ? undefined : openSecret(box, row);
      if (secret?.oauth) {
        const text = JSON.stringify({ ...secret, oauth: { ...secret.oauth, wanted_scope: scope } });
        await updateCredentials(db, row, row.version, { sealed: sealText(box, log, text, credentialsPlace(row)) });
      }
      await noteFailure({ db, now }, row, 'error', 'you need to reconnect', status ?? 403);
    },
    async onListing({ row }, error) {
      // A server that is well is noted once a minute at most, because its listing is cached.
      if (row) await updateHealth(db, row.organization_id, row.id, isoMicros(now), error);
    },
  };
}
