import type { Plan } from './schema.ts';

/** Why an organization on this plan may not use the administrative API, if it may not. */
export function refusalOfPlan(plan: Plan): string | undefined {
  if (plan === 'enterprise') return undefined;
  return `The administrative API is for organizations on the enterprise plan, and this one is on the plan '${plan}'. Ask the operator to change it.`;
}
