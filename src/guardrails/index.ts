export { guardrailErrors } from './errors.ts';
export { type Evaluation, evaluate, type Figures } from './evaluate.ts';
export { guardrailRoutes } from './routes.ts';
export { GuardrailConfig, GuardrailRefusal, GuardrailResult } from './schema/guardrails.ts';
export { ClassificationRequest, ModerationResponse } from './schema/moderations.ts';
export { createGuardrailService, type GuardrailService } from './service.ts';
