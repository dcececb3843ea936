import { defineErrors, missing } from '../kit/http/index.ts';

export const consoleErrors = defineErrors({
  wrong_credentials: {
    status: 401,
    when: 'The e-mail address has no account, or the password is wrong.',
    fix: 'Check both; the operator can create a link to set a new password.',
  },
  provider_not_found: missing('sign-in provider'),
  provider_unavailable: {
    status: 502,
    when: 'A sign-in provider cannot be reached, or its description is wrong.',
    fix: 'Try again later, or sign in another way.',
    message: (name: string) => `${name} cannot be reached at the moment. Try again later, or sign in another way.`,
  },
  mail_not_configured: {
    status: 409,
    when: 'A link is asked for by mail, and the server has no mail server.',
    fix: 'Sign in with the password and join the provider on the account page.',
    message: 'This server sends no mail. Sign in with your password and join the provider on your account page.',
  },
  join_not_begun: {
    status: 409,
    when: 'A link to join a provider is asked for by a browser that was not at the provider within the hour.',
    fix: 'Sign in with the provider first.',
    message: 'Sign in with the provider first, then ask for the link.',
  },
  join_link_elsewhere: {
    status: 403,
    when: 'The mailed link that joins a sign-in with a provider is opened in another browser than that of the sign-in.',
    fix: 'Open it in the browser that was at the provider, or sign in there again and ask for another link.',
    message: 'Open this link in the browser in which you signed in with the provider, within the hour.',
  },
  logout_token_invalid: {
    status: 400,
    fix: 'Send a logout token that this provider signed for this client, within five minutes.',
    message: 'This is no logout token of the provider for this client.',
  },
  name_required: { status: 400, fix: 'Send `name`.', message: 'Enter your name, so that others know who you are.' },
  catalogue_model_not_found: {
    status: 400,
    when: 'The catalogue has no model with this id.',
    fix: 'Choose an id of `GET /console/api/models`; the operator can download other weights with `tramontane pull`.',
    message: (model: string) =>
      `The catalogue has no model '${model}'. The operator can download others: npx tramontane pull`,
  },
  key_not_found: missing('API key'),
  quarantined_work_not_found: missing('quarantined work'),
  quarantined_work_ended: {
    status: 409,
    when: 'Quarantined work is to be retried that ended when it was set aside: a run of a conversation, an import or a training.',
    fix: 'Ask for it anew.',
    message: (instead: string) => `It ended when it was set aside, so a retry would do nothing. ${instead}`,
  },
  quarantined_work_open: {
    status: 409,
    when: 'Quarantined work is to be dismissed that has not ended.',
    fix: 'Retry it, or let its owner cancel or delete what it belongs to.',
    message: () => 'It has not ended, so it cannot be dismissed. Retry it, or cancel or delete what it belongs to.',
  },
  limit_scope_not_found: {
    ...missing('organization, workspace or key'),
    message: (kind: string, id: string) => missing(kind).message(id),
  },
  storage_limit_fixed: {
    status: 400,
    when: 'The storage limit of an organization or a key is changed in the console.',
    fix: 'Set it for a workspace. The limit of the organization is set by the operator: `tramontane limits set`.',
    message: 'Storage is limited for workspaces here. The operator sets the limit of the organization.',
  },
  playground_session_not_found: missing('playground session'),
  playground_sessions_many: {
    status: 400,
    when: 'A user keeps more sessions of the playground in a workspace than are allowed.',
    fix: 'Delete sessions that you no longer need.',
    message: (max: number) => `You keep ${max} sessions here, which is the most. Delete one that you no longer need.`,
  },
  console_path_not_found: {
    status: 404,
    when: 'No file of the console and no route of its API has this path.',
    fix: 'Check the address; reload the page after an upgrade.',
    message: (path: string) => `There is no /console/${path.slice(0, 200)} here.`,
  },
});
