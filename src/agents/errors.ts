import { defineErrors, missing } from '../kit/http/index.ts';
import { objectErrors } from '../registry/index.ts';

const object = objectErrors('agent');

export const agentErrors = defineErrors({
  agent_not_found: object.not_found,
  agent_version_not_found: object.version_not_found,
  agent_changed: {
    status: 412,
    fix: 'Send the update again.',
    message: 'The agent is updated by too many requests at the same time. Send the update again.',
  },
  agent_alias_not_found: missing('alias'),
  agent_alias_reserved: {
    status: 400,
    fix: 'Choose another name.',
    message: "The alias 'latest' always names the newest version. Choose another name.",
  },
  agent_handoff_unknown: {
    status: 400,
    when: '`handoffs` names an agent that does not exist in the workspace.',
    fix: 'Create that agent first, or leave it out.',
    message: (id: string) => `handoffs names the agent '${id}', which does not exist.`,
  },
  agent_credentials_refused: {
    status: 400,
    fix: 'Send `authorization` when a conversation starts, or let the operator set headers for the connector.',
    message:
      'An agent is for its whole workspace and keeps no credentials. Give authorization when you start a conversation, or let the operator set headers for the connector.',
  },
  agent_skills_invalid: {
    status: 400,
    when: '`metadata.skills` is not a list of skill references, is too long, or names a skill twice.',
    fix: 'Send up to 32 references, each a name, a name@version or a name@alias.',
  },
  agent_skills_unsupported: {
    status: 400,
    fix: 'Use `/v1/conversations`, where the server loads skills.',
    message: 'An agent with skills works in conversations only, where the server loads them. Use /v1/conversations.',
  },
});
