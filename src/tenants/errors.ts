import { defineErrors, missing } from '../kit/http/index.ts';

const NEW_LINK = 'Ask for a new one: npx tramontane users link <email>';
const NEW_INVITATION = 'Ask an admin of the organization for a new one.';

export const tenantErrors = defineErrors({
  organization_not_found: missing('organization'),
  workspace_not_found: missing('workspace'),
  user_not_found: missing('user'),
  user_group_not_found: missing('user group'),
  api_key_not_found: missing('API key'),
  admin_key_not_found: missing('admin key'),
  invitation_not_found: missing('invitation'),
  session_not_found: missing('session'),
  identity_not_found: missing('provider of the account'),
  identity_taken: {
    status: 409,
    when: 'The account of the provider belongs to another account here.',
    fix: 'Sign in with the provider, or take it off the other account.',
    message: (provider: string) => `This account of '${provider}' belongs to another account here.`,
  },
  identity_unknown: {
    status: 403,
    when: 'No account is joined to this one of the provider, and its word does not open or make one: it is not trusted for the mail address, or the account of the address has a password, a second factor or another organization.',
    fix: 'Sign in with all factors and join the provider on the account page; without an account, open the link of an invitation.',
    message: (provider: string) =>
      `No account here is joined to this one of '${provider}'. Sign in with your password and join it on your account page, or open the link of your invitation.`,
  },
  identity_without_membership: {
    status: 403,
    when: 'The account of a sign-in with a provider is not a member of the organization of the provider.',
    fix: 'Ask an admin of that organization for an invitation.',
    message: (provider: string) =>
      `This account does not belong to the organization of '${provider}'. Ask an admin of it for an invitation.`,
  },
  provider_without_organization: {
    status: 503,
    when: 'The configuration does not say to which of several organizations a provider belongs, or names one that there is not.',
    fix: 'Set `sign_in.providers[].organization`.',
    message: (provider: string) => `The operator has to say to which organization '${provider}' belongs.`,
  },
  join_link_invalid: {
    status: 404,
    when: 'The mailed link that joins a sign-in with a provider is not genuine, too old, or was used.',
    fix: 'Sign in with the provider again and ask for another link.',
    message:
      'This link is not valid, or no longer: it works once. Sign in with the provider again and ask for another one.',
  },
  sign_in_rule_unmet: {
    status: 409,
    when: 'An admin would require a way to sign in that they have not used themselves.',
    fix: 'Sign in that way first, so that you do not lock yourself out.',
    message: 'Sign in that way yourself first: this rule would lock you out.',
  },
  password_missing: {
    status: 409,
    when: 'An account without a password would change it, or protect it with a second factor.',
    fix: 'Ask the operator for a link to set one: `npx tramontane users link <email>`.',
    message: `This account has no password. ${NEW_LINK}`,
  },
  password_wrong: {
    status: 403,
    when: 'The present password of the signed-in account is wrong.',
    fix: 'Send the present password.',
    message: 'This is not the password of the account.',
  },
  second_factor_required: {
    status: 401,
    when: 'The password is right, and the account has a second factor.',
    fix: 'Send `code` too: of the authenticator app, or a recovery code.',
  },
  second_factor_wrong: {
    status: 403,
    when: 'The code of the second factor is wrong, too old, or was used before.',
    fix: 'Wait for the next code of the app, or use a recovery code.',
    message: 'This code is wrong, too old, or was used before. Wait for the next one.',
  },
  second_factor_present: {
    status: 409,
    fix: 'Remove it first.',
    message: 'The account has a second factor already. Remove it first.',
  },
  second_factor_missing: {
    status: 409,
    fix: 'Set one up first.',
    message: 'The account has no second factor. Set one up first.',
  },
  second_factor_unreadable: {
    status: 503,
    when: 'The key that encrypted the second factor is lost.',
    fix: 'Use a recovery code, or ask the operator: `npx tramontane users reset-second-factor <email>`.',
    message:
      'The codes of the app cannot be checked. Use a recovery code, or ask the operator to reset the second factor.',
  },
  service_account_not_found: missing('service account'),
  service_accounts_of_organization: {
    status: 403,
    when: 'Someone other than an admin of the organization lists the service accounts of all its workspaces.',
    fix: 'Send `workspace_id`, or ask an admin of the organization.',
    message: 'Only an admin of the organization lists the service accounts of all workspaces. Name one: workspace_id.',
  },
  client_token_model: {
    status: 403,
    when: 'A client token was made for another model.',
    fix: 'Ask for the model of the token, or make another token.',
    message: (model: string) => `This client token is for the model '${model}'. Ask for that model.`,
  },
  name_missing: {
    status: 400,
    when: 'The name of an organization, a workspace or a user group is blank.',
    fix: 'Send a name.',
    message: (noun: string) => `${noun} needs a name.`,
  },
  email_invalid: {
    status: 400,
    when: 'The email address of the owner is not one.',
    fix: 'Correct the address.',
    message: (email: string) => `'${email}' is not an email address.`,
  },
  no_match: {
    status: 400,
    when: 'No organization, workspace, user, group or key has the given id or name.',
    fix: 'Use one of the ids or names that the message lists.',
  },
  ambiguous_name: {
    status: 400,
    when: 'Several organizations, workspaces, users, groups or keys match.',
    fix: 'Use one of the ids that the message lists.',
  },
  admin_key_scope: {
    status: 400,
    fix: 'Leave both out.',
    message: 'An admin key belongs to an organization: it takes no workspace and no user.',
  },
  key_expiry_in_past: {
    status: 400,
    when: 'The expiry of a new key has passed.',
    fix: 'Choose a later time.',
    message: (expiresAt: string) => `The key would have expired already, at ${expiresAt}. Choose a later time.`,
  },
  key_without_role: {
    status: 400,
    when: 'The user of a new key has no role in its workspace, so the key would have no permission.',
    fix: 'Add the user to the workspace first.',
    message: (email: string, workspace: string) =>
      `${email} is no member of the workspace ${workspace}, so the key could do nothing there.`,
  },
  workspace_archived: {
    status: 409,
    when: 'The workspace is archived.',
    fix: 'Use another workspace.',
    message: (name: string) => `The workspace '${name}' is archived and cannot be changed.`,
  },
  default_workspace: {
    status: 409,
    fix: 'Keep it; archive other workspaces.',
    message: 'The default workspace of an organization cannot be archived.',
  },
  last_admin: {
    status: 409,
    when: 'The last admin of an organization would leave or lose the role.',
    fix: 'Make another member `organization_admin` first.',
    message: (email: string) =>
      `${email} is the last admin of the organization. Make somebody else an organization_admin first.`,
  },
  user_group_cycle: {
    status: 409,
    fix: 'Take one of them out first.',
    message: 'The groups would be nested in a circle. Take one of them out first.',
  },
  too_many_addresses: {
    status: 400,
    when: 'One call invites more addresses than allowed.',
    fix: 'Invite them in several calls.',
    message: (max: number, given: number) => `One call invites ${max} addresses at most, not ${given}.`,
  },
  invitation_invalid: {
    status: 404,
    fix: NEW_INVITATION,
    message: `This invitation is not valid, or no longer. ${NEW_INVITATION}`,
  },
  invitation_expired: { status: 410, fix: NEW_INVITATION, message: `This invitation has expired. ${NEW_INVITATION}` },
  invitation_accepted: { status: 409, fix: 'Sign in.', message: 'This invitation was accepted a moment ago.' },
  invitation_password_wrong: {
    status: 403,
    when: 'The address of an invitation has an account, and the password is not its own.',
    fix: 'Send the password of the account, or sign in to it and open the link again.',
    message: 'This address has an account already, and this is not its password.',
  },
  invitation_for_another_account: {
    status: 403,
    fix: 'Sign in to the account of the invited address, then open the link again.',
    message: 'This invitation is for another account than the one that is signed in here.',
  },
  account_in_other_organization: {
    status: 409,
    when: 'The address of an invitation has an account in another organization that has no password yet.',
    fix: 'Set the password there first, or ask the operator for a link.',
    message: 'This address has an account in another organization. Its password must be set there first.',
  },
  sign_in_link_invalid: {
    status: 404,
    fix: 'Ask the operator for a new link: `npx tramontane users link <email>`.',
    message: `This link is not valid, or no longer: it works once. ${NEW_LINK}`,
  },
  sign_in_link_expired: {
    status: 410,
    fix: 'Ask the operator for a new link: `npx tramontane users link <email>`.',
    message: `This link has expired. ${NEW_LINK}`,
  },
  too_many_sign_in_attempts: {
    status: 429,
    when: 'Too many sign-ins were tried from one network or browser.',
    fix: 'Wait as long as `Retry-After` says.',
  },
  sign_in_busy: {
    status: 503,
    when: 'Too many passwords are being checked at once.',
    fix: 'Try again.',
    message: 'Many people are signing in. Try again in a moment.',
    retryAfterSeconds: 2,
  },
  authentication_unavailable: {
    status: 503,
    fix: 'Try again.',
    message: 'The database cannot be reached. Try again in a moment.',
    retryAfterSeconds: 1,
  },
});
