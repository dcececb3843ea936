import type { AuditLogEventType } from '../../../../src/audit/schema.ts';

/** Event types of the audit log, grouped for the filter. */
export const eventGroups: readonly { label: string; events: readonly AuditLogEventType[] }[] = [
  { label: 'Keys', events: ['api_key.create', 'api_key.delete', 'admin_api_key.created', 'admin_api_key.delete'] },
  {
    label: 'Sign-in',
    events: ['user.log_in', 'user.log_in.failed', 'user.log_out', 'user.password.update', 'user.sign_in_link.create'],
  },
  {
    label: 'Members and invitations',
    events: [
      'user.create',
      'user.delete',
      'user.organization.join',
      'user.organization.delete',
      'user.organization.role.update',
      'organization.invite.send',
      'organization.invite.resend',
      'organization.invite.accepted',
      'organization.invite.revoked',
    ],
  },
  {
    label: 'Workspaces',
    events: [
      'workspace.create',
      'workspace.update',
      'workspace.delete',
      'workspace.member.add',
      'workspace.member.remove',
      'workspace.member.role.update',
    ],
  },
  {
    label: 'Groups',
    events: [
      'user_group.create',
      'user_group.update',
      'user_group.delete',
      'user_group.member.add',
      'user_group.member.remove',
    ],
  },
  { label: 'Limits', events: ['billing.monthly_limit.updated', 'billing.workspace_monthly_limit.updated'] },
  { label: 'Prompts', events: ['prompt.create', 'prompt.update', 'prompt.version.create', 'prompt.delete'] },
  {
    label: 'Skills',
    events: ['skill.create', 'skill.update', 'skill.version.create', 'skill.share', 'skill.unshare', 'skill.delete'],
  },
  { label: 'Agents', events: ['agent.create', 'agent.update', 'agent.delete'] },
  { label: 'Files', events: ['file.create', 'file.read', 'file.share', 'file.delete'] },
  {
    label: 'Libraries and search indexes',
    events: [
      'library.create',
      'library.update',
      'library.share',
      'library.unshare',
      'library.delete',
      'search_index.create',
      'search_index.update',
      'search_index.delete',
      'search_index.documents.put',
      'search_index.documents.delete',
    ],
  },
  { label: 'Denied', events: ['admin_api.refused', 'user.log_in.failed'] },
];
