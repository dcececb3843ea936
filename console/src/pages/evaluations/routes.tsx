import { createLazyRoute } from '@tanstack/react-router';
import { ComparisonPage } from './comparison-page.tsx';
import { EvaluationsPage } from './evaluations-page.tsx';
import { RunPage } from './run-page.tsx';

export const list = createLazyRoute('/shell/evaluations')({ component: EvaluationsPage });
export const run = createLazyRoute('/shell/evaluations/$runId')({ component: RunPage });
export const comparison = createLazyRoute('/shell/evaluations/$runId/comparison')({ component: ComparisonPage });
