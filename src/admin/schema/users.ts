import { z } from 'zod';
import { Id, page } from './page.ts';
import {
  hasOneRoleForm,
  OrganizationRoleRef,
  oneRoleForm,
  organizationRoleFields,
  organizationRolesOut,
  StaticOrganizationRoles,
  UserRole,
  workspaceRolesOut,
} from './roles.ts';

const PlanType = z.enum(['API', 'CHAT', 'ON_PREMISE', 'LICENSE', 'MISTRAL_CODE']).meta({ id: 'PlanType' });
const SeatType = z.enum(['CHAT', 'MISTRAL_CODE']);
const Language = z.enum(['en', 'fr', 'es', 'de', 'it', 'pt_br', 'pl', 'ar', 'nl']);

export const UsersQuery = z.strictObject({ ...page, email: z.string().max(255).nullish() });
export type UsersQuery = z.infer<typeof UsersQuery>;
export const UserParams = z.strictObject({ user_id: Id });
export const InviteParams = z.strictObject({ invite_uuid: Id });

export const OrganizationMemberCreate = z
  .strictObject({
    ...organizationRoleFields,
    email: z.string().max(255),
    first_name: z.string().max(255),
    last_name: z.string().max(255),
    subscription_types: z.array(PlanType).max(100).nullish(),
  })
  .refine(hasOneRoleForm, oneRoleForm)
  .meta({ id: 'OrganizationMemberCreate' });
export const OrganizationMembersCreate = z.array(OrganizationMemberCreate).max(1000);
export type OrganizationMembersCreate = z.infer<typeof OrganizationMembersCreate>;

export const OrganizationInviteIN = z
  .strictObject({
    ...organizationRoleFields,
    email: z.string().max(100_000),
    subscription_type: PlanType.nullish(),
    subscription_types: z.array(PlanType).max(100).nullish(),
    subscription_seat_automatic_granting: z.boolean().default(false),
    email_language: Language.nullish(),
    workspace_uuids: z.array(Id).max(1000).nullish(),
  })
  .refine(hasOneRoleForm, oneRoleForm)
  .meta({ id: 'OrganizationInviteIN' });
export type OrganizationInviteIN = z.infer<typeof OrganizationInviteIN>;

export const AdminOrganizationMemberUpdate = z
  .strictObject({ ...organizationRoleFields, subscription_types: z.array(SeatType).max(100).nullish() })
  .refine(hasOneRoleForm, oneRoleForm)
  .meta({ id: 'AdminOrganizationMemberUpdate' });
export type AdminOrganizationMemberUpdate = z.infer<typeof AdminOrganizationMemberUpdate>;

const MemberWorkspaceInfo = z
  .object({ uuid: z.guid(), name: z.string().max(255), is_default: z.boolean(), ...workspaceRolesOut })
  .meta({ id: 'MemberWorkspaceInfo' });

const MemberSubscriptionOUT = z
  .object({
    type: PlanType,
    plan: z
      .union([
        z.enum(['FREE', 'PAY_AS_YOU_GO']).meta({ id: 'APIPlan' }),
        z.enum(['INDIVIDUAL', 'EDU', 'TEAM']).meta({ id: 'ChatPlan' }),
        z.enum(['ENTERPRISE']).meta({ id: 'CodePlan' }),
      ])
      .nullish(),
    status: z.enum(['NS', 'S', 'A', 'CF', 'CG', 'C', 'GP']).meta({ id: 'SubscriptionStatus' }).nullish(),
    user: z.string().nullish(),
    self_service: z.boolean().nullish(),
    member_has_access: z.boolean().nullish(),
  })
  .meta({ id: 'MemberSubscriptionOUT' });

const member = {
  uuid: z.guid(),
  oid_id: z.guid().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  is_sso_outsider: z.boolean().nullish(),
  workspaces: z.array(MemberWorkspaceInfo).nullish(),
  subscriptions: z.array(MemberSubscriptionOUT).default([]),
  ...organizationRolesOut,
  subscription_types: z.array(SeatType).nullish(),
  created_at: z.iso.datetime(),
};
export const AdminOrganizationMemberOUT = z.object(member).meta({ id: 'AdminOrganizationMemberOUT' });
export type AdminOrganizationMemberOUT = z.input<typeof AdminOrganizationMemberOUT>;
export const AdminUserOUT = z
  .object({ ...member, first_name: z.string().nullable(), last_name: z.string().nullable() })
  .meta({ id: 'AdminUserOUT' });

const OrganizationInviteOUT = z
  .object({
    uuid: z.guid(),
    ...organizationRolesOut,
    email: z.string(),
    expired: z.boolean(),
    created_at: z.iso.datetime(),
    workspace_uuids: z.array(z.guid()).default([]),
  })
  .meta({ id: 'OrganizationInviteOUT' });

export const OrganizationAdminUsersOUT = z
  .object({
    members: z.array(AdminOrganizationMemberOUT),
    invites: z.array(OrganizationInviteOUT),
    total: z.int().nullable(),
    page: z.int().nullable(),
    page_size: z.int().nullable(),
  })
  .meta({ id: 'OrganizationAdminUsersOUT' });
export type OrganizationAdminUsersOUT = z.input<typeof OrganizationAdminUsersOUT>;

export const OrganizationUsersCreateOUT = z
  .object({ invalid_emails: z.array(z.string()), email_to_user_id: z.record(z.string(), z.string()) })
  .meta({ id: 'OrganizationUsersCreateOUT' });

export const OrganizationUserInviteOUT = z
  .object({
    invite_uuid: z.guid(),
    email: z.string().nullable(),
    roles: z.union([z.array(UserRole).min(1), z.array(StaticOrganizationRoles).min(1)]),
    role: OrganizationRoleRef.meta({ deprecated: true }),
  })
  .meta({ id: 'OrganizationUserInviteOUT' });
export type OrganizationUserInviteOUT = z.infer<typeof OrganizationUserInviteOUT>;

export const OrganizationInvitesCreateOUT = z
  .object({
    invalid_emails: z.array(z.string()),
    already_members: z.array(z.string()),
    invited_members_count: z.int().nullish(),
    /** Only when no mail server is configured. */
    invite_links: z.array(z.object({ email: z.string(), url: z.string() })).optional(),
  })
  .meta({ id: 'OrganizationInvitesCreateOUT' });
export type OrganizationInvitesCreateOUT = z.infer<typeof OrganizationInvitesCreateOUT>;

export const DeleteOUT = z.object({ message: z.string() }).meta({ id: 'DeleteOUT' });
