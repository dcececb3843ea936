import { isoMicros } from '../../kit/base/clock.ts';
import type { Scope } from '../../kit/http/index.ts';
import { libraryErrors } from '../errors.ts';
import { findAccess } from '../find-access.ts';
import { recordChange } from '../record-change.ts';
import type { EntityType, Sharing, SharingDelete, SharingRequest } from '../schema.ts';
import { deleteShare, listShares, upsertShare } from '../store/shares.ts';
import type { LibraryRow, ShareRow } from '../store/tables.ts';
import type { ServicePorts } from './library-service.ts';

export type SharesPart = {
  list(scope: Scope, libraryId: string): Promise<{ data: Sharing[] }>;
  set(scope: Scope, libraryId: string, request: SharingRequest): Promise<Sharing>;
  remove(scope: Scope, libraryId: string, request: SharingDelete): Promise<Sharing>;
};

export type SharePorts = ServicePorts & {
  /** Whether there is such a user, workspace or organization in the organization. */
  isInOrganization(organizationId: string, type: EntityType, id: string): Promise<boolean>;
};

export function createSharesPart({ database, audit, now, isInOrganization }: SharePorts): SharesPart {
  const { db } = database;
  return {
    async list(scope, libraryId) {
      const library = await findAccess(db, scope, libraryId, 'Viewer');
      const rows = await listShares(db, library.id);
      return { data: [ownerOf(library), ...rows.map((row) => toSharing(library, row))] };
    },
    async set(scope, libraryId, { level, share_with_type, share_with_uuid }) {
      const library = await findAccess(db, scope, libraryId, 'Owner');
      const id = share_with_uuid.toLowerCase();
      if (share_with_type === library.owner_type && id === library.owner_id) throw libraryErrors.owner_role_fixed();
      if (!(await isInOrganization(library.organization_id, share_with_type, id)))
        throw libraryErrors.share_target_not_found(share_with_type, share_with_uuid);
      const row = {
        library_id: library.id,
        share_with_type,
        share_with_uuid: id,
        role: level,
        created_at: isoMicros(now),
      };
      await database.transaction(async (tx) => {
        await upsertShare(tx, row);
        await recordChange(audit, tx, scope, 'library.share', { library }, { with: `${share_with_type} ${id}`, level });
      });
      return toSharing(library, row);
    },
    async remove(scope, libraryId, { share_with_type, share_with_uuid }) {
      const library = await findAccess(db, scope, libraryId, 'Owner');
      const id = share_with_uuid.toLowerCase();
      return database.transaction(async (tx) => {
        const row = await deleteShare(tx, library.id, share_with_type, id);
        if (!row) throw libraryErrors.share_not_found();
        await recordChange(audit, tx, scope, 'library.unshare', { library }, { with: `${share_with_type} ${id}` });
        return toSharing(library, row);
      });
    },
  };
}

function ownerOf(library: LibraryRow): Sharing {
  const { id, organization_id, owner_type, owner_id } = library;
  return {
    library_id: id,
    user_id: owner_type === 'User' ? owner_id : null,
    org_id: organization_id,
    role: 'Owner',
    share_with_type: owner_type,
    share_with_uuid: owner_id,
  };
}

function toSharing(library: LibraryRow, { role, share_with_type, share_with_uuid }: ShareRow): Sharing {
  return {
    library_id: library.id,
    user_id: share_with_type === 'User' ? share_with_uuid : null,
    org_id: library.organization_id,
    role,
    share_with_type,
    share_with_uuid,
  };
}
