import { requirementsOf } from './requirement.ts';

export const classifierRequirements = requirementsOf('classifiers', {
  'Endpoints: Classifiers': {
    'CLASSIFICATIONS-CREATE':
      'POST /v1/classifications answers 200 with the scores of each label by target, text by text',
    'CLASSIFICATIONS-CHAT': 'POST /v1/chat/classifications scores one conversation or several, each as a whole',
  },
  'decisions: Error bodies, inference family': {
    'CLASSIFICATIONS-UNKNOWN-MODEL': 'an unknown model is 400 with type invalid_model and code 1500',
  },
});
