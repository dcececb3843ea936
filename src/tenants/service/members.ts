import type { AuditEntry } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { type Db, findCandidates, lockFor, type Tx } from '../../kit/db/index.ts';
import type { Caller } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { isAdmin } from '../permissions.ts';
import { lockAccounts, placePerson } from '../place-person.ts';
import type { OrganizationRole, WorkspaceRole } from '../schema.ts';
import { parseEmail } from '../sign-in/parse-emails.ts';
import { belongsElsewhere, findMemberByAddress, findUserByAddress, moveMembership } from '../store/accounts.ts';
import { countInvitations, deleteInvitationOf, listInvitations } from '../store/invitations.ts';
import {
  countMembers,
  deleteMember,
  findMember,
  hasOtherAdmin,
  listEmails,
  listMembers,
  listOrganizationRolesOfUsers,
  listWorkspacesOfMembers,
  type MemberRow,
  searchedUsers,
  updateOrganizationRoles,
} from '../store/members.ts';
import type { InvitationRow, UserRow } from '../store/tables.ts';
import { findTally } from '../store/tallies.ts';
import type { KeyService } from './keys.ts';
import type { TenantPorts } from './ports.ts';
import type { SessionService } from './sessions.ts';

export type MemberWorkspace = { id: string; name: string; is_default: boolean; roles: WorkspaceRole[] };
export type Member = MemberRow & { roles: OrganizationRole[]; workspaces: MemberWorkspace[] };

export type NewMember = { email: string; first_name: string; last_name: string; roles: readonly OrganizationRole[] };

export type MemberPage = { members: Member[]; invitations: InvitationRow[]; total: number };

export type MemberService = {
  /** One paged list: members, oldest first, then open invitations. */
  list(
    organizationId: string,
    query: { email?: string | undefined; offset: number; limit: number },
  ): Promise<MemberPage>;
  get(organizationId: string, userId: string, db?: Db): Promise<Member>;
  /** Ids of non-members are left out. */
  emailsOf(organizationId: string, ids: readonly string[]): Promise<{ id: string; email: string }[]>;
  /** By id or email. */
  choose(organizationId: string, idOrEmail: string): Promise<Member>;
  /**
   * Existing members stay unchanged. An account of another organization joins when its owner accepts; with
   * `joinsExisting`, the operator's word, at once.
   */
  create(
    caller: Caller,
    people: readonly NewMember[],
    options?: { joinsExisting: boolean },
  ): Promise<{ invalid: string[]; ids: Map<string, string> }>;
  /** Replaces all roles. */
  setRoles(caller: Caller, userId: string, roles: readonly OrganizationRole[]): Promise<Member>;
  /** Revokes the member's keys; their objects are kept. */
  remove(caller: Caller, userId: string): Promise<MemberRow>;
  /** Makes a user a member, as part of another change. */
  join(
    tx: Tx,
    caller: Caller,
    person: Joining,
    roles: readonly OrganizationRole[],
    details?: Record<string, string>,
  ): Promise<void>;
  /** Gives a membership that waited for the owner of an account to that account. */
  claim(tx: Tx, caller: Caller, pendingId: string, account: Pick<UserRow, 'id' | 'email'>): Promise<void>;
};

type PageQuery = Parameters<typeof listMembers>[2] & { total: number };

type Joining = { id: string; email: string; isNew: boolean };

export function createMemberService(deps: TenantPorts & { keys: KeyService; sessions: SessionService }): MemberService {
  const { database, audit, keysSignal, keys, sessions, now, forgetMember } = deps;

  async function describe(db: Db, organizationId: string, rows: MemberRow[]): Promise<Member[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const roles = await listOrganizationRolesOfUsers(db, organizationId, ids);
    const placements = await listWorkspacesOfMembers(db, organizationId, ids);
    const rolesOf = Map.groupBy(roles, ({ user_id }) => user_id);
    const placementsOf = Map.groupBy(placements, ({ user_id }) => user_id);
    return rows.map((row) => ({
      ...row,
      roles: (rolesOf.get(row.id) ?? []).map(({ role }) => role),
      workspaces: [...Map.groupBy(placementsOf.get(row.id) ?? [], ({ id }) => id).values()].flatMap((own) =>
        own[0]
          ? [{ id: own[0].id, name: own[0].name, is_default: own[0].is_default, roles: own.map(({ role }) => role) }]
          : [],
      ),
    }));
  }

  async function get(db: Db, organizationId: string, userId: string): Promise<Member> {
    const row = await findMember(db, organizationId, userId);
    const [member] = row ? await describe(db, organizationId, [row]) : [];
    if (!member) throw tenantErrors.user_not_found(userId);
    return member;
  }

  async function readPage(db: Db, organizationId: string, query: PageQuery): Promise<MemberRow[]> {
    return query.offset < query.total ? listMembers(db, organizationId, query) : [];
  }

  /** One change at a time: two admins who demote each other must not both succeed. */
  function change<T>({ organization_id }: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await lockFor(tx, database.kind, `members:${organization_id}`);
      return work(tx);
    });
  }

  async function refuseLastAdmin(tx: Tx, organizationId: string, { id, email, roles }: Member): Promise<void> {
    if (isAdmin(roles) && !(await hasOtherAdmin(tx, organizationId, id))) throw tenantErrors.last_admin(email);
  }

  function record(
    tx: Tx,
    caller: Caller,
    { id, email }: Pick<MemberRow, 'id' | 'email'>,
    event_type: AuditEntry['event_type'],
    event_metadata: Record<string, string> = {},
  ): Promise<void> {
    const target = { target_type: 'USER', target_metadata: { id, email } } as const;
    return audit.record(tx, { ...caller, event_type, event_metadata, ...target });
  }

  async function join(
    tx: Tx,
    caller: Caller,
    { id, isNew, email }: Joining,
    roles: readonly OrganizationRole[],
    details: Record<string, string> = {},
  ): Promise<void> {
    const { organization_id } = caller;
    await updateOrganizationRoles(tx, organization_id, { id, created_at: isoMicros(now) }, roles);
    await deleteInvitationOf(tx, organization_id, email);
    keysSignal.raise(tx);
    if (isNew) await record(tx, caller, { id, email }, 'user.create');
    await record(tx, caller, { id, email }, 'user.organization.join', { roles: roles.join(', '), ...details });
  }

  async function add(tx: Tx, caller: Caller, person: NewMember, joinsExisting: boolean): Promise<string> {
    const { email, first_name, last_name, roles } = person;
    const options = { created_at: isoMicros(now), joinsExisting };
    const placed = await placePerson(tx, { email, first_name, last_name }, options);
    const details = joinsExisting && !placed.isNew ? { existing_account: 'joins' } : {};
    await join(tx, caller, { ...placed, email }, roles, details);
    return placed.id;
  }

  async function claim(tx: Tx, caller: Caller, pendingId: string, { id, email }: Pick<UserRow, 'id' | 'email'>) {
    await moveMembership(tx, caller.organization_id, pendingId, id);
    keysSignal.raise(tx);
    await record(tx, caller, { id, email }, 'user.organization.join', { pending_user_uuid: pendingId });
  }

  return {
    join,
    claim,
    get: (organizationId, userId, db = database.db) => get(db, organizationId, userId),
    emailsOf: (organizationId, ids) => listEmails(database.db, organizationId, ids),
    async choose(organizationId, idOrEmail) {
      const id = (await findMemberByAddress(database.db, organizationId, idOrEmail))?.id ?? idOrEmail;
      if (await findMember(database.db, organizationId, id)) return get(database.db, organizationId, id);
      throw tenantErrors.no_match(
        `The organization has no user '${idOrEmail}'. List them with: npx tramontane users list`,
      );
    },
    async list(organizationId, { email, offset, limit }) {
      const { db } = database;
      const filter = email || undefined;
      const among = await findCandidates(database, searchedUsers, filter?.toLowerCase());
      const page = { among, offset, limit };
      const membersTotal = filter
        ? await countMembers(db, organizationId, { ...page, email: filter })
        : await findTally(db, organizationId, 'members');
      const invitationsTotal = filter
        ? await countInvitations(db, organizationId, filter)
        : await findTally(db, organizationId, 'invitations');
      const rows = await readPage(db, organizationId, { ...page, email: filter, total: membersTotal });
      const rest = limit - rows.length;
      const after = { email: filter, offset: Math.max(0, offset - membersTotal), limit: rest };
      return {
        members: await describe(db, organizationId, rows),
        invitations: rest > 0 && invitationsTotal > 0 ? await listInvitations(db, organizationId, after) : [],
        total: membersTotal + invitationsTotal,
      };
    },
    create: (caller, people, { joinsExisting } = { joinsExisting: false }) =>
      change(caller, async (tx) => {
        await lockAccounts(tx, database.kind);
        const invalid: string[] = [];
        const ids = new Map<string, string>();
        for (const person of people) {
          const email = parseEmail(person.email);
          if (email === undefined) {
            invalid.push(person.email);
            continue;
          }
          const member = await findMemberByAddress(tx, caller.organization_id, email);
          const account = joinsExisting && member?.pending_email ? await findUserByAddress(tx, email) : undefined;
          if (member && account) await claim(tx, caller, member.id, account);
          ids.set(email, account?.id ?? member?.id ?? (await add(tx, caller, { ...person, email }, joinsExisting)));
        }
        return { invalid, ids };
      }),
    setRoles: (caller, userId, roles) =>
      change(caller, async (tx) => {
        const { organization_id } = caller;
        const member = await get(tx, organization_id, userId);
        if (!isAdmin(roles)) await refuseLastAdmin(tx, organization_id, member);
        const previous_roles = member.roles.join(', ');
        await updateOrganizationRoles(tx, organization_id, member, roles);
        const after = await get(tx, organization_id, userId);
        const details = { roles: after.roles.join(', '), previous_roles };
        if (details.roles === previous_roles) return after;
        keysSignal.raise(tx);
        await record(tx, caller, member, 'user.organization.role.update', details);
        return after;
      }),
    remove: (caller, userId) =>
      change(caller, async (tx) => {
        const { organization_id } = caller;
        const member = await get(tx, organization_id, userId);
        await refuseLastAdmin(tx, organization_id, member);
        await deleteMember(tx, organization_id, userId);
        await forgetMember?.(tx, { organization_id, user_id: userId });
        await keys.revokeOfUser(tx, caller, userId);
        // A member of another organization stays signed in there.
        if (!(await belongsElsewhere(tx, organization_id, userId))) await sessions.endOfUser(tx, userId);
        keysSignal.raise(tx);
        await record(tx, caller, member, 'user.organization.delete');
        return member;
      }),
  };
}
