import { requirementsOf } from './requirement.ts';

export const guardrailRequirements = requirementsOf('guardrails', {
  'Endpoints: Chat completions': {
    'CHAT-GUARDRAILS': 'guardrails can be given per request',
  },
  'decisions: Error bodies, guardrail block': {
    'CHAT-GUARDRAILS-BLOCK': 'a blocked input is 403 with the results of the guardrails',
  },
  'behaviour: 0.1': {
    'GUARDRAILS-BLOCK-ON-ERROR': 'a check that fails blocks with 403 and code 3201 where block_on_error asks for it',
  },
  'behaviour: 4.8 Guardrails': {
    'GUARDRAILS-INPUT': 'the input is checked before the model is asked, also when the answer is a stream',
    'GUARDRAILS-ONE-CONFIG': 'each guardrail holds one moderation config, and any hit blocks',
    'GUARDRAILS-THRESHOLD': 'a threshold decides its category, and 1 switches it off',
    'GUARDRAILS-IGNORE-OTHERS': 'ignore_other_categories looks at the categories with a threshold only',
    'GUARDRAILS-RESULTS': 'an answer that was not blocked shows what each guardrail found',
  },
  'behaviour: 10 Moderation': {
    'MODERATIONS-CREATE': 'POST /v1/moderations answers with categories and scores for each text',
    'MODERATIONS-CHAT': 'POST /v1/chat/moderations takes one or many conversations and judges each',
  },
});
