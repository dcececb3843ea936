import { requirementsOf } from './requirement.ts';

export const guardrailRequirements = requirementsOf('guardrails', {
  'Endpoints: Chat completions': {
    'CHAT-GUARDRAILS': 'guardrails can be given per request',
  },
  'decisions: Error bodies, guardrail block': {
    'CHAT-GUARDRAILS-BLOCK': 'a blocked input is 403 with the results of the guardrails',
  },
});
