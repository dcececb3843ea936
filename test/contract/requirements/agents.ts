import { requirementsOf } from './requirement.ts';

export const agentRequirements = requirementsOf('agents', {
  'Endpoints: Agents': {
    'AGENTS-CREATE': 'POST /v1/agents answers 200 with the agent, its instructions, tools and description',
    'AGENTS-CREATE-BODY': 'creating without a body is 422',
    'AGENTS-CREATE-422': 'a request that fails validation is 422',
    'AGENTS-GUARDRAILS': 'guardrails can be set on an agent',
  },
  'decisions: Conversations and agents': {
    'AGENTS-WORKSPACE': 'an agent is visible to its whole workspace and to nobody else',
    'AGENTS-VERSION-ZERO': 'the first version of an agent is 0',
    'AGENTS-DOCUMENT-LIBRARY': 'an agent may search libraries, as far as its caller sees them',
  },
  'decisions: Numbers and shapes': {
    'AGENTS-P': 'every chunk of an agent completion carries p',
    'AGENTS-OPENAPI-BETA': 'the interface description tags every agent operation beta',
  },
});
