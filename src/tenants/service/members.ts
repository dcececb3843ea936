import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Database, type Db, lockFor, type Signal, type Tx } from '../../kit/db/index.ts';
import { badRequest, conflict, notFound } from '../../kit/http/index.ts';
import type { By } from '../caller.ts';
import type { OrganizationRole, WorkspaceRole } from '../permissions.ts';
import { readEmail } from '../sign-in/parse-emails.ts';
import { countInvitations, deleteInvitationOf, listInvitations } from '../store/invitations.ts';
import {
  belongsElsewhere,
  countMembers,
  countOtherAdmins,
  deleteMember,
  findMember,
  findUserByAddress,
  listEmails,
  listMembers,
  listOrganizationRolesOfUsers,
  listWorkspacesOfMembers,
  type MemberRow,
  updateOrganizationRoles,
} from '../store/members.ts';
import { insertUser } from '../store/organizations.ts';
import type { InvitationRow } from '../store/tables.ts';
import { findTally } from '../store/tallies.ts';
import type { KeyService } from './keys.ts';
import type { SessionService } from './sessions.ts';

export type MemberWorkspace = { id: string; name: string; is_default: boolean; roles: WorkspaceRole[] };
export type Member = MemberRow & { roles: OrganizationRole[]; workspaces: MemberWorkspace[] };

export type NewMember = { email: string; first_name: string; last_name: string; roles: readonly OrganizationRole[] };

export type MemberPage = { members: Member[]; invitations: InvitationRow[]; total: number };

export type MemberService = {
  /** Members, oldest first, then who is invited: one list, cut into pages. */
  list(
    organizationId: string,
    query: { email?: string | undefined; offset: number; limit: number },
  ): Promise<MemberPage>;
  get(organizationId: string, userId: string, db?: Db): Promise<Member>;
  /** Of those of the ids that are members. */
  emailsOf(organizationId: string, ids: readonly string[]): Promise<{ id: string; email: string }[]>;
  /** By id or email, for people at a keyboard. */
  choose(organizationId: string, idOrEmail: string): Promise<Member>;
  /** Who is a member already stays as they are. */
  create(by: By, people: readonly NewMember[]): Promise<{ invalid: string[]; ids: Map<string, string> }>;
  /** The roles are the whole set afterwards. */
  setRoles(by: By, userId: string, roles: readonly OrganizationRole[]): Promise<Member>;
  /** Their keys end, their objects stay. */
  remove(by: By, userId: string): Promise<MemberRow>;
  /** For whatever makes somebody a member, in its transaction. */
  join(tx: Tx, by: By, person: Joining, roles: readonly OrganizationRole[]): Promise<void>;
};

type PageQuery = { email: string | undefined; offset: number; limit: number; total: number };

/** A new user, or one whom the platform knows already, from another organization perhaps. */
type Joining = Omit<NewMember, 'roles'> & { id: string; isNew: boolean };

export function createMemberService(deps: {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  keys: KeyService;
  sessions: SessionService;
  now: Clock;
}): MemberService {
  const { database, audit, keysSignal, keys, sessions, now } = deps;

  async function describe(db: Db, organizationId: string, rows: MemberRow[]): Promise<Member[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const roles = await listOrganizationRolesOfUsers(db, organizationId, ids);
    const places = await listWorkspacesOfMembers(db, organizationId, ids);
    const rolesOf = Map.groupBy(roles, ({ user_id }) => user_id);
    const placesOf = Map.groupBy(places, ({ user_id }) => user_id);
    return rows.map((row) => ({
      ...row,
      roles: (rolesOf.get(row.id) ?? []).map(({ role }) => role),
      workspaces: [...Map.groupBy(placesOf.get(row.id) ?? [], ({ id }) => id).values()].flatMap((own) =>
        own[0]
          ? [{ id: own[0].id, name: own[0].name, is_default: own[0].is_default, roles: own.map(({ role }) => role) }]
          : [],
      ),
    }));
  }

  async function get(db: Db, organizationId: string, userId: string): Promise<Member> {
    const row = await findMember(db, organizationId, userId);
    const [member] = row ? await describe(db, organizationId, [row]) : [];
    if (!member) throw notFound('user', userId);
    return member;
  }

  async function readPage(db: Db, organizationId: string, query: PageQuery): Promise<MemberRow[]> {
    const { email, offset, limit, total } = query;
    const count = Math.min(limit, total - offset);
    if (count <= 0) return [];
    if (email !== undefined || offset <= total / 2) return listMembers(db, organizationId, { email, offset, limit });
    return listMembers(db, organizationId, { offset: total - offset - count, limit: count, isFromEnd: true });
  }

  /** Two admins who demote each other at the same time must not both succeed. */
  async function keepAnAdmin(tx: Tx, organizationId: string, member: Member): Promise<void> {
    if (!member.roles.includes('organization_admin')) return;
    if ((await countOtherAdmins(tx, organizationId, member.id)) > 0) return;
    throw conflict(
      `${member.email} is the last admin of the organization. Make somebody else an organization_admin first.`,
    );
  }

  async function join(
    tx: Tx,
    by: By,
    { id, isNew, email, first_name, last_name }: Joining,
    roles: readonly OrganizationRole[],
  ): Promise<void> {
    const { organization_id, actor } = by;
    const created_at = isoMicros(now);
    const target = { target_type: 'USER', target_metadata: { id, email } } as const;
    if (isNew) await insertUser(tx, { id, email, first_name, last_name, created_at });
    await updateOrganizationRoles(tx, organization_id, { id, created_at }, roles);
    await deleteInvitationOf(tx, organization_id, email);
    keysSignal.raise(tx);
    if (isNew) await audit.record(tx, { organization_id, actor, event_type: 'user.create', ...target });
    const event_metadata = { roles: roles.join(', ') };
    await audit.record(tx, { organization_id, actor, event_type: 'user.organization.join', event_metadata, ...target });
  }

  return {
    join,
    get: (organizationId, userId, db = database.db) => get(db, organizationId, userId),
    emailsOf: (organizationId, ids) => listEmails(database.db, organizationId, ids),
    async choose(organizationId, idOrEmail) {
      const id = (await findUserByAddress(database.db, idOrEmail))?.id ?? idOrEmail;
      if (await findMember(database.db, organizationId, id)) return get(database.db, organizationId, id);
      throw badRequest(`The organization has no user '${idOrEmail}'. List them with: npx tramontane users list`);
    },
    async list(organizationId, { email, offset, limit }) {
      const { db } = database;
      const filter = email || undefined;
      const membersTotal = filter
        ? await countMembers(db, organizationId, filter)
        : await findTally(db, organizationId, 'members');
      const invitationsTotal = filter
        ? await countInvitations(db, organizationId, filter)
        : await findTally(db, organizationId, 'invitations');
      const rows = await readPage(db, organizationId, { email: filter, offset, limit, total: membersTotal });
      const rest = limit - rows.length;
      const invitations =
        rest > 0 && invitationsTotal > 0
          ? await listInvitations(db, organizationId, {
              email: filter,
              offset: Math.max(0, offset - membersTotal),
              limit: rest,
            })
          : [];
      return {
        members: await describe(db, organizationId, rows),
        invitations,
        total: membersTotal + invitationsTotal,
      };
    },
    create: (by, people) =>
      database.transaction(async (tx) => {
        await lockFor(tx, database.kind, `members:${by.organization_id}`);
        const invalid: string[] = [];
        const ids = new Map<string, string>();
        for (const person of people) {
          const email = readEmail(person.email);
          if (email === undefined) {
            invalid.push(person.email);
            continue;
          }
          const known = await findUserByAddress(tx, email);
          const id = known?.id ?? uuid();
          const isMember = known && (await findMember(tx, by.organization_id, id));
          if (!isMember) await join(tx, by, { ...person, email, id, isNew: !known }, person.roles);
          ids.set(email, id);
        }
        return { invalid, ids };
      }),
    setRoles: (by, userId, roles) =>
      database.transaction(async (tx) => {
        const { organization_id, actor } = by;
        await lockFor(tx, database.kind, `members:${organization_id}`);
        const member = await get(tx, organization_id, userId);
        if (!roles.includes('organization_admin')) await keepAnAdmin(tx, organization_id, member);
        const before = member.roles.join(', ');
        await updateOrganizationRoles(tx, organization_id, member, roles);
        const after = await get(tx, organization_id, userId);
        if (after.roles.join(', ') === before) return after;
        keysSignal.raise(tx);
        await audit.record(tx, {
          organization_id,
          actor,
          event_type: 'user.organization.role.update',
          event_metadata: { roles: after.roles.join(', '), previous_roles: before },
          target_type: 'USER',
          target_metadata: { id: userId, email: member.email },
        });
        return after;
      }),
    remove: (by, userId) =>
      database.transaction(async (tx) => {
        const { organization_id, actor } = by;
        await lockFor(tx, database.kind, `members:${organization_id}`);
        const member = await get(tx, organization_id, userId);
        await keepAnAdmin(tx, organization_id, member);
        await deleteMember(tx, organization_id, userId);
        await keys.revokeOf(tx, by, userId);
        // Who belongs to another organization stays signed in there, and finds this one closed.
        if (!(await belongsElsewhere(tx, organization_id, userId))) await sessions.endOf(tx, userId);
        keysSignal.raise(tx);
        await audit.record(tx, {
          organization_id,
          actor,
          event_type: 'user.organization.delete',
          target_type: 'USER',
          target_metadata: { id: userId, email: member.email },
        });
        return member;
      }),
  };
}
