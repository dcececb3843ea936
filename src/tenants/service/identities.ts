import { isoMicros } from '../../kit/base/clock.ts';
import type { Db, Tx } from '../../kit/db/index.ts';
import { humanActor } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { lockAccounts, placePerson } from '../place-person.ts';
import { parseEmail } from '../sign-in/parse-emails.ts';
import { hashToken } from '../sign-in/session-token.ts';
import { findMemberByAddress, findUser, findUserByAddress, isProtected } from '../store/accounts.ts';
import { deleteGroupMember, insertGroupMember, listGroupsNamed } from '../store/groups.ts';
import {
  deleteIdentities,
  findIdentity,
  type IdentityRow,
  insertIdentity,
  listIdentities,
} from '../store/identities.ts';
import { listMemberIds } from '../store/members.ts';
import { listOrganizationsNamed } from '../store/organizations.ts';
import { takeMark } from '../store/sign-in-attempts.ts';
import type { InvitationRow, UserRow } from '../store/tables.ts';
import type { InvitationService } from './invitations.ts';
import type { MemberService } from './members.ts';
import type { TenantPorts } from './ports.ts';
import type { SessionService } from './sessions.ts';

type Person = Pick<UserRow, 'id' | 'email'>;
/** Into which organization a sign-in leads, and the address that is proven for it, by an invitation or by the provider. */
type Entry = { organization_id: string; email: string | undefined; isInvited: boolean };
type GroupPlan = { organization_id: string; changes: { id: string; name: string; isHeld: boolean }[] };

/** What the operator lets a provider decide. */
export type ProviderRules = {
  id: string;
  /** Mail domains for which its word is trusted; `*` is every domain. */
  domains: readonly string[];
  /** Its addresses are right where it does not say so itself. */
  trustsEmail: boolean;
  /** Whose members its new accounts become, by id or name; without one, the only organization. */
  organization: string | undefined;
  /** Which value of its group claim is which user group of the organization. */
  groups: readonly { claim: string; group: string }[];
};
export type ProviderClaims = {
  subject: string;
  email: string | undefined;
  /** Whether the provider checked the address; undefined where it does not say, as many do. */
  isEmailVerified: boolean | undefined;
  firstName: string | null;
  lastName: string | null;
  groups: readonly string[];
};

export type IdentityService = {
  list(userId: string): Promise<IdentityRow[]>;
  /** The organization of a provider, in which its sessions act. Undefined where the operator does not say which. */
  findOrganization(rules: ProviderRules): Promise<string | undefined>;
  /**
   * The account of a provider's subject, a member of the provider's organization. One that is joined already, else the
   * account of an address that the provider's word or an invitation proves, or a new one. Never an account with a
   * password, a second factor or another organization: its owner joins those. Mapped groups follow the claims.
   */
  admit(rules: ProviderRules, claims: ProviderClaims, invitation?: InvitationRow): Promise<Person>;
  /** Brings the membership of mapped groups in line with the claims. */
  follow(rules: ProviderRules, user: Person, groups: readonly string[]): Promise<void>;
  /** By the owner of the account, who has proven all its factors. */
  join(user: Person, provider: string, subject: string): Promise<void>;
  /** The same once with each link, until it ends. */
  joinByLink(
    user: Person,
    provider: string,
    subject: string,
    link: { token: string; expiresAtMs: number },
  ): Promise<void>;
  leave(user: Person, provider: string): Promise<void>;
};

export function createIdentityService(
  deps: TenantPorts & { members: MemberService; sessions: SessionService; invitations: InvitationService },
): IdentityService {
  const { database, audit, keysSignal, now, members, sessions, invitations } = deps;

  async function findOrganization(db: Db, { organization }: ProviderRules): Promise<string | undefined> {
    const found = await listOrganizationsNamed(db, organization);
    // An id wins over another organization's name that looks the same.
    const only = found.length === 1 ? found[0] : found.find(({ id }) => id === organization);
    return only?.id;
  }

  async function organizationOf(db: Db, rules: ProviderRules): Promise<string> {
    const id = await findOrganization(db, rules);
    if (id === undefined) throw tenantErrors.provider_without_organization(rules.id);
    return id;
  }

  async function attach(tx: Tx, user: Person, provider: string, subject: string): Promise<void> {
    const row = { provider, subject, user_id: user.id, created_at: isoMicros(now) };
    if (!(await insertIdentity(tx, row))) throw tenantErrors.identity_taken(provider);
    await sessions.record(tx, user, { event_type: 'user.identity.join', event_metadata: { provider } });
  }

  /** The account of the address becomes that of the subject, or a new one does. */
  async function welcome(tx: Tx, rules: ProviderRules, claims: ProviderClaims, entry: Entry): Promise<Person> {
    const { organization_id, email, isInvited } = entry;
    if (email === undefined) throw tenantErrors.identity_unknown(rules.id);
    await lockAccounts(tx, database.kind);
    const account = await findUserByAddress(tx, email);
    if (account && (await isProtected(tx, organization_id, account.id))) throw tenantErrors.identity_unknown(rules.id);
    const person = { email, first_name: claims.firstName, last_name: claims.lastName };
    const { id, isNew } = await placePerson(tx, person, { created_at: isoMicros(now), joinsExisting: true });
    const user = { id, email };
    const caller = { organization_id, actor: humanActor(user) };
    // The link of an invitation is used by accepting it, or not at all.
    const member = isInvited ? undefined : await findMemberByAddress(tx, organization_id, email);
    if (member && member.id !== id) await members.claim(tx, caller, member.id, user);
    else if (!member && !(await invitations.acceptFor(tx, organization_id, { ...user, isNew }))) {
      // A member who was removed comes back by an invitation only.
      if (account || isInvited) throw tenantErrors.identity_without_membership(rules.id);
      await members.join(tx, caller, { ...user, isNew }, ['member'], { provider: rules.id });
    }
    await attach(tx, user, rules.id, claims.subject);
    return user;
  }

  /** A member who was removed comes back by an invitation, which the owner of a protected account accepts elsewhere. */
  async function rejoin(tx: Tx, rules: ProviderRules, { id, email }: Person, entry: Entry): Promise<void> {
    const { organization_id } = entry;
    if (await isMember(tx, organization_id, id)) return;
    await lockAccounts(tx, database.kind);
    const isWelcome = entry.email === email.toLowerCase() && !(await isProtected(tx, organization_id, id));
    if (!isWelcome || !(await invitations.acceptFor(tx, organization_id, { id, email, isNew: false })))
      throw tenantErrors.identity_without_membership(rules.id);
  }

  /** What the claims change about the membership of mapped groups. */
  async function planGroups(db: Db, rules: ProviderRules, user: Person, held: readonly string[]): Promise<GroupPlan> {
    const nothing = { organization_id: '', changes: [] };
    if (rules.groups.length === 0) return nothing;
    const organization_id = await findOrganization(db, rules);
    if (organization_id === undefined || !(await isMember(db, organization_id, user.id))) return nothing;
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
    findOrganization: (rules) => findOrganization(database.db, rules),
    admit: (rules, claims, invitation) =>
      database.transaction(async (tx) => {
        const organization_id = await organizationOf(tx, rules);
        if (invitation && invitation.organization_id !== organization_id) throw tenantErrors.identity_unknown(rules.id);
        const email = invitation?.email ?? provenAddress(rules, claims);
        const entry = { organization_id, email, isInvited: invitation !== undefined };
        const identity = await findIdentity(tx, rules.id, claims.subject);
        const known = identity && (await findUser(tx, identity.user_id));
        if (known) await rejoin(tx, rules, known, entry);
        const user = known ?? (await welcome(tx, rules, claims, entry));
        await syncGroups(tx, rules, user, claims.groups);
        return { id: user.id, email: user.email };
      }),
    async follow(rules, user, groups) {
      // Asked every second while a session is used: the common case, nothing to change, takes no transaction.
      const { changes } = await planGroups(database.db, rules, user, groups);
      if (changes.length > 0) await database.transaction((tx) => syncGroups(tx, rules, user, groups));
    },
    join: (user, provider, subject) => database.transaction((tx) => attach(tx, user, provider, subject)),
    joinByLink: (user, provider, subject, { token, expiresAtMs }) =>
      database.transaction(async (tx) => {
        if (!(await takeMark(tx, `join:${hashToken(token)}`, now(), expiresAtMs)))
          throw tenantErrors.join_link_invalid();
        await attach(tx, user, provider, subject);
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

/** The address of the claims, where the operator and the provider stand for it. */
function provenAddress(rules: ProviderRules, { email: given, isEmailVerified }: ProviderClaims): string | undefined {
  const email = parseEmail(given ?? '');
  const domain = email?.slice(email.lastIndexOf('@') + 1);
  const isTrusted = rules.domains.some((one) => one === '*' || one.toLowerCase() === domain);
  return isTrusted && (isEmailVerified ?? rules.trustsEmail) ? email : undefined;
}
