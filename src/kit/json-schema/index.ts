export { type Budget, createBudget, createPrepareBudget } from './budget.ts';
export type { Mistake } from './node.ts';
export {
  type JsonSchema,
  type Prepared,
  prepareSchema,
  SCHEMA_CHARACTERS_MAX,
  type Validator,
  type Verdict,
} from './prepare-schema.ts';
