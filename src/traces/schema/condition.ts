import type { Field, Operator } from './fields.ts';

/** A search expression that passed every rule. */
export type Condition =
  | { op: 'and' | 'or'; items: Condition[] }
  | { op: 'not'; item: Condition }
  | { op: Operator; field: Field; key: string | null; values: (string | number)[] };
