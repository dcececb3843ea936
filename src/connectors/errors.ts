import { defineErrors, missing } from '../kit/http/index.ts';

export const connectorErrors = defineErrors({
  connector_not_found: {
    status: 400,
    when: 'The configuration has no connector of this id, or not for the workspace of the key.',
    fix: 'Choose one of the connectors that the message lists.',
  },
  connector_absent: {
    ...missing('connector'),
    when: 'The configuration has no connector of this id, or not for the workspace of the key.',
    fix: 'Choose one of `GET /v1/connectors/bootstrap`.',
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
});
