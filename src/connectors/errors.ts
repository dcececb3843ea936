import { defineErrors, missing } from '../kit/http/index.ts';

export const connectorErrors = defineErrors({
  connector_not_found: {
    status: 400,
    when: 'There is no connector of this id or name, or not for the workspace of the key.',
    fix: 'Choose one of `GET /v1/connectors`.',
  },
  connector_absent: {
    ...missing('connector'),
    when: 'There is no connector of this id or name, or not for the workspace of the key.',
    fix: 'Choose one of `GET /v1/connectors`.',
  },
  connector_authorization_invalid: {
    status: 400,
    when: 'The `authorization` of a connector has characters that a header cannot have, or is too long.',
    fix: 'Check the value.',
    message: (id: string) => `The authorization of the connector '${id}' cannot be sent: its value fits no header.`,
  },
  connector_tool_not_found: {
    status: 400,
    when: 'A model called a tool that the connector no longer has. The model gets this message.',
    fix: 'Nothing: the next run reads the list of tools again.',
    message: (id: string, tool: string) => `The connector '${id}' has no tool '${tool}' any more.`,
  },
  connector_failed: {
    status: 502,
    when: 'The server of a connector could not be reached, refused us, or sent something that cannot be used.',
    fix: 'Check the credentials, or try again later. The operator finds the cause in the log.',
  },
  connector_timeout: {
    status: 504,
    when: 'The server of a connector did not respond in time.',
    fix: 'Try again later, or ask the operator for a longer `timeout_seconds`.',
  },
  connector_busy: {
    status: 503,
    when: 'The connector is a program of the operator, and as many of it run as may.',
    fix: 'Try again after `Retry-After`, or ask the operator for a higher `concurrency`.',
    retryAfterSeconds: 5,
    message: (id: string) => `The connector '${id}' runs as often as it may. Try again in a few seconds.`,
  },
  connector_read_only: {
    status: 403,
    when: 'A connector of the configuration file was to be changed, shared or deleted.',
    fix: 'Ask the operator to change the configuration.',
    message: (id: string) =>
      `The connector '${id}' is declared in the configuration of this server, where only the operator can change it.`,
  },
  connector_not_yours: {
    status: 403,
    when: 'A connector was to be changed by somebody who neither made it nor administers its workspace or organization.',
    fix: 'Ask its creator, or an admin.',
    message: (id: string) => `The connector '${id}' can be changed by its creator and by admins only.`,
  },
  connector_scope_refused: {
    status: 403,
    when: 'Credentials, preferences or sharing of a workspace or an organization were to be changed by somebody who does not administer it.',
    fix: 'Use the scope `user`, or ask an admin.',
    message: (scope: string) => `Only admins of the ${scope} may do this. Use the scope 'user' for yourself.`,
  },
  connector_name_taken: {
    status: 409,
    when: 'Another connector that the workspace sees has the name.',
    fix: 'Choose another name.',
    message: (name: string) => `There is a connector '${name}' already. Choose another name.`,
  },
  connector_inactive: {
    status: 403,
    when: 'The connector was deactivated for the user, the workspace or the organization.',
    fix: 'Activate it: `POST /v1/connectors/{id}/{scope}/activate`.',
    message: (id: string, by: string) =>
      `The connector '${id}' is deactivated for this ${by}. It must be activated first.`,
  },
  connectors_too_many: {
    status: 409,
    when: 'A workspace has as many connectors as it may have, or a connector as many credentials.',
    fix: 'Delete some that nobody uses.',
  },
  connector_request_invalid: {
    status: 400,
    when: 'Fields of a connector or of its credentials contradict each other.',
    fix: 'The message says which.',
  },
  connector_sign_in_required: {
    status: 403,
    when: 'The connector needs credentials, and there are none, or they no longer work.',
    fix: 'Sign in with the address of `GET /v1/connectors/{id}/auth_url`, or store credentials.',
    message: (id: string, why: string) =>
      `The connector '${id}' cannot be used: ${why} Sign in again with GET /v1/connectors/${id}/auth_url, or store other credentials.`,
  },
  connector_credentials_not_found: {
    status: 404,
    when: 'The connector has no credentials of this name in this scope.',
    fix: 'List them with `GET /v1/connectors/{id}/{scope}/credentials`.',
    message: (name: string) =>
      `There are no credentials '${name}' here. List those of the connector to see their names.`,
  },
  connector_oauth_unavailable: {
    status: 400,
    when: 'The server of a connector does not say where to sign in, or its authorization server cannot be used.',
    fix: 'Give `oauth2_server_metadata` and `auth_data` when you create the connector, or use another kind of credentials.',
  },
  connector_return_url_refused: {
    status: 400,
    when: '`app_return_url` is no address that a browser may be sent to.',
    fix: 'Give an https address, or one of this machine.',
    message:
      'app_return_url must be an https address, an address of this server, or one of the own machine (http://127.0.0.1).',
  },
  connector_secrets_unavailable: {
    status: 503,
    when: 'The key that encrypts credentials cannot be read or written.',
    fix: 'The operator checks `secrets.key` in the data dir, or `TRAMONTANE_SECRETS_KEY`.',
    message:
      'Credentials cannot be stored now: the key that encrypts them is not available. The operator finds the cause in the log.',
  },
  connector_tool_missing: {
    status: 404,
    when: 'The connector has no tool of this name, or it is left out for the caller.',
    fix: 'List the tools with `GET /v1/connectors/{id}/tools`.',
    message: (id: string, tool: string) => `The connector '${id}' has no tool '${tool}' that you may use.`,
  },
  connector_tool_held: {
    status: 409,
    when: 'The server changed the description or the schema of the tool, and nobody has looked at the change.',
    fix: 'Look at `GET /v1/connectors/{id}/tools/review` and trust the tool there.',
    message: (id: string, tool: string) =>
      `The tool '${tool}' of the connector '${id}' was changed by its server and is held back until somebody looks at the change: GET /v1/connectors/${id}/tools/review.`,
  },
  connector_tool_changed: {
    status: 409,
    when: 'A tool was to be trusted in another version than the server has now.',
    fix: 'Review it again.',
    message: 'The tool has changed since it was reviewed. Look at it again.',
  },
});
