import { isoMicros } from '../../kit/base/clock.ts';
import type { Db, Tx } from '../../kit/db/index.ts';
import { humanActor } from '../caller.ts';
import { chooseByIdOrName } from '../choose-by-id-or-name.ts';
import { tenantErrors } from '../errors.ts';
import { lockAccounts, placePerson } from '../place-person.ts';
import { parseEmail } from '../sign-in/parse-emails.ts';
import { findMemberByAddress, findUser, findUserByAddress, updateUser } from '../store/accounts.ts';
import { deleteGroupMember, insertGroupMember, listGroupsNamed } from '../store/groups.ts';
import {
  deleteIdentities,
  findIdentity,
  type IdentityRow,
  insertIdentity,
  listIdentities,
} from '../store/identities.ts';
import { listMemberIds } from '../store/members.ts';
import { listOrganizations, listOrganizationsNamed } from '../store/organizations.ts';
import type { UserRow } from '../store/tables.ts';
import type { InvitationService } from './invitations.ts';
import type { MemberService } from './members.ts';
import type { TenantPorts } from './ports.ts';
import type { SessionService } from './sessions.ts';

type Person = Pick<UserRow, 'id' | 'email'>;
type GroupPlan = { organization_id: string; changes: { id: string; name: string; isHeld: boolean }[] };

/** What the operator lets a provider decide. */
export type ProviderRules = {
  id: string;
  /** Mail domains for which its word is trusted; `*` is every domain. */
  domains: readonly string[];
  /** Whose members its new accounts become, by id or name; without one, the only organization. */
  organization: string | undefined;
  /** Which value of its group claim is which user group of the organization. */
  groups: readonly { claim: string; group: string }[];
};
export type ProviderClaims = {
  subject: string;
  email: string | undefined;
  /** Many providers do not say; only a clear no counts. */
  isEmailRefused: boolean;
  firstName: string | null;
  lastName: string | null;
  groups: readonly string[];
};

export type IdentityService = {
  list(userId: string): Promise<IdentityRow[]>;
  /**
   * The account of a provider's subject. One that the owner joined, else, where the provider is trusted for the domain
   * of the address, the account of that address or a new one. Membership of mapped groups follows the claims.
   */
  admit(rules: ProviderRules, claims: ProviderClaims): Promise<Person>;
  /** Brings the membership of mapped groups in line with the claims. */
  follow(rules: ProviderRules, user: Person, groups: readonly string[]): Promise<void>;
  /** By the owner of the account, who is signed in to both. */
  join(user: Person, rules: ProviderRules, claims: ProviderClaims): Promise<void>;
  leave(user: Person, provider: string): Promise<void>;
};

export function createIdentityService(
  deps: TenantPorts & { members: MemberService; sessions: SessionService; invitations: InvitationService },
): IdentityService {
  const { database, audit, keysSignal, now, members, sessions, invitations } = deps;

  async function organizationOf(db: Db, { organization }: ProviderRules): Promise<string> {
    const [found, other] = await listOrganizationsNamed(db, organization);
    if (found && !other) return found.id;
    return chooseByIdOrName('organization', await listOrganizations(db), organization).id;
  }

  async function attach(tx: Tx, user: Person, provider: string, subject: string): Promise<void> {
    const row = { provider, subject, user_id: user.id, created_at: isoMicros(now) };
    if (!(await insertIdentity(tx, row))) throw tenantErrors.identity_taken(provider);
    await sessions.record(tx, user, { event_type: 'user.identity.join', event_metadata: { provider } });
  }

  /** The first sign-in of a subject whose address the provider may speak for. */
  async function welcome(tx: Tx, rules: ProviderRules, claims: ProviderClaims): Promise<Person> {
    const email = parseEmail(claims.email ?? '');
    if (email === undefined || claims.isEmailRefused || !isTrusted(rules, email))
      throw tenantErrors.identity_unknown(rules.id);
    await lockAccounts(tx, database.kind);
    const account = await findUserByAddress(tx, email);
    const person = { email, first_name: claims.firstName, last_name: claims.lastName };
    const { id, isNew } = await placePerson(tx, person, { created_at: isoMicros(now), joinsExisting: true });
    const user = { id, email };
    if (!account?.email_proven_at) await updateUser(tx, id, { email_proven_at: isoMicros(now) });
    const organization_id = await organizationOf(tx, rules);
    const caller = { organization_id, actor: humanActor(user) };
    const waiting = await findMemberByAddress(tx, organization_id, email);
    if (waiting && waiting.id !== id) await members.claim(tx, caller, waiting.id, user);
    else if (!waiting && !(await invitations.acceptFor(tx, organization_id, { ...user, isNew })))
      await members.join(tx, caller, { ...user, isNew }, ['member'], { provider: rules.id });
    await attach(tx, user, rules.id, claims.subject);
    return user;
  }

  /** A member who was removed comes back by an invitation only. */
  async function rejoin(tx: Tx, rules: ProviderRules, { id, email }: Person): Promise<void> {
    if (!isTrusted(rules, email)) return;
    const organization_id = await organizationOf(tx, rules);
    if (!(await isMember(tx, organization_id, id)))
      await invitations.acceptFor(tx, organization_id, { id, email, isNew: false });
  }

  /** What the claims change about the membership of mapped groups. */
  async function planGroups(db: Db, rules: ProviderRules, user: Person, held: readonly string[]): Promise<GroupPlan> {
    const nothing = { organization_id: '', changes: [] };
    if (rules.groups.length === 0) return nothing;
    const organization_id = await organizationOf(db, rules);
    if (!(await isMember(db, organization_id, user.id))) return nothing;
    const named = rules.groups.map(({ group }) => group);
    const groups = await listGroupsNamed(db, organization_id, named, user.id);
    const changes = groups.flatMap(({ id, name, member_id }) => {
      const mapped = rules.groups.filter(({ group }) => group === id || group === name);
      const isHeld = mapped.some(({ claim }) => held.includes(claim));
      return isHeld === (member_id !== null) ? [] : [{ id, name, isHeld }];
    });
    return { organization_id, changes };
  }

  async function syncGroups(tx: Tx, rules: ProviderRules, user: Person, held: readonly string[]): Promise<void> {
    const { organization_id, changes } = await planGroups(tx, rules, user, held);
    for (const { id, name, isHeld } of changes) {
      const isChanged = isHeld
        ? await insertGroupMember(tx, id, user.id, isoMicros(now))
        : await deleteGroupMember(tx, id, user.id);
      if (!isChanged) continue;
      keysSignal.raise(tx);
      await audit.record(tx, {
        organization_id,
        actor: { type: 'OTHER', metadata: { name: `provider ${rules.id}` } },
        event_type: isHeld ? 'user_group.member.add' : 'user_group.member.remove',
        event_metadata: { member_user_uuid: user.id },
        target_type: 'USER_GROUP',
        target_metadata: { id, name },
      });
    }
  }

  return {
    list: (userId) => listIdentities(database.db, userId),
    admit: (rules, claims) =>
      database.transaction(async (tx) => {
        const identity = await findIdentity(tx, rules.id, claims.subject);
        const known = identity && (await findUser(tx, identity.user_id));
        if (known) await rejoin(tx, rules, known);
        const user = known ?? (await welcome(tx, rules, claims));
        await syncGroups(tx, rules, user, claims.groups);
        return { id: user.id, email: user.email };
      }),
    async follow(rules, user, groups) {
      // Asked every second while a session is used: the common case, nothing to change, takes no transaction.
      const { changes } = await planGroups(database.db, rules, user, groups);
      if (changes.length > 0) await database.transaction((tx) => syncGroups(tx, rules, user, groups));
    },
    join: (user, rules, claims) =>
      database.transaction(async (tx) => {
        await attach(tx, user, rules.id, claims.subject);
        await syncGroups(tx, rules, user, claims.groups);
      }),
    leave: (user, provider) =>
      database.transaction(async (tx) => {
        if (!(await deleteIdentities(tx, user.id, provider))) throw tenantErrors.identity_not_found(provider);
        await sessions.record(tx, user, { event_type: 'user.identity.leave', event_metadata: { provider } });
      }),
  };
}

async function isMember(db: Db, organizationId: string, userId: string): Promise<boolean> {
  return (await listMemberIds(db, organizationId, [userId])).has(userId);
}

function isTrusted({ domains }: ProviderRules, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return domains.some((one) => one === '*' || one.toLowerCase() === domain);
}
