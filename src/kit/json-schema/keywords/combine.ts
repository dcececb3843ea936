import { addInPlace, addStep, createSeen, mergeSeen, type Node, type Run, SEEN_STEPS, type Seen } from '../node.ts';
import { forget, noted, refuse, visit } from '../visit.ts';
import { isString, type Keyword } from './keyword.ts';

/** Visits one of several schemas: what it has looked at counts only if it fits. */
function tryBranch(run: Run, node: Node, value: unknown, seen: Seen | undefined): boolean {
  if (!seen) return visit(run, node, value, undefined);
  run.budget.spend(SEEN_STEPS);
  const own = createSeen();
  if (!visit(run, node, value, own)) return false;
  mergeSeen(seen, own, run.budget);
  return true;
}

/** Keywords that apply other schemas to the same value. */
export const combiningKeywords: Record<string, Keyword> = {
  $ref: {
    accepts: isString,
    build({ node, refer }, reference: string) {
      const target = refer(reference);
      addInPlace(node, target);
      addStep(node, 'always', (run, value, seen) => visit(run, target, value, seen));
    },
  },
  not: {
    holds: 'schema',
    build({ node, inPlace }, schema: unknown) {
      const inner = inPlace(schema);
      addStep(node, 'always', (run, value) => {
        const since = noted(run);
        const isValid = visit(run, inner, value, undefined);
        forget(run, since);
        return !isValid || refuse(run, 'not', 'must NOT be valid');
      });
    },
  },
  anyOf: {
    holds: 'list',
    build({ node, inPlace }, schemas: unknown[]) {
      const branches = schemas.map(inPlace);
      addStep(node, 'always', (run, value, seen) => {
        const since = noted(run);
        let isValid = false;
        for (const branch of branches) {
          if (tryBranch(run, branch, value, seen)) isValid = true;
          // The others matter only for what they have looked at.
          if (isValid && !seen) break;
        }
        if (!isValid) return refuse(run, 'anyOf', 'must match a schema in anyOf');
        forget(run, since);
        return true;
      });
    },
  },
  oneOf: {
    holds: 'list',
    build({ node, inPlace }, schemas: unknown[]) {
      const branches = schemas.map(inPlace);
      addStep(node, 'always', (run, value, seen) => {
        const since = noted(run);
        let fitting = 0;
        for (const branch of branches) {
          if (tryBranch(run, branch, value, seen)) fitting += 1;
          if (fitting > 1) break;
        }
        if (fitting > 0) forget(run, since);
        return fitting === 1 || refuse(run, 'oneOf', 'must match exactly one schema in oneOf');
      });
    },
  },
  allOf: {
    holds: 'list',
    build({ node, inPlace }, schemas: unknown[]) {
      const all = schemas.map(inPlace);
      addStep(node, 'always', (run, value, seen) => all.every((inner) => visit(run, inner, value, seen)));
    },
  },
  if: {
    holds: 'schema',
    build({ node, inPlace, beside }, schema: unknown) {
      const condition = inPlace(schema);
      const onTrue = beside.then === undefined ? undefined : inPlace(beside.then);
      const onFalse = beside.else === undefined ? undefined : inPlace(beside.else);
      addStep(node, 'always', (run, value, seen) => {
        if (!onTrue && !onFalse && !seen) return true;
        const since = noted(run);
        const isTrue = tryBranch(run, condition, value, seen);
        forget(run, since);
        const next = isTrue ? onTrue : onFalse;
        if (!next || visit(run, next, value, seen)) return true;
        return refuse(run, 'if', `must match "${isTrue ? 'then' : 'else'}" schema`);
      });
    },
  },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits this table.
  then: { holds: 'schema' },
  else: { holds: 'schema' },
};

/** A reference whose target depends on the way that led to it: the outermost schema with that anchor. */
export const dynamicKeywords: Record<string, Keyword> = {
  $dynamicRef: {
    accepts: isString,
    build({ node, refer }, reference: string) {
      const target = refer(reference);
      const name = reference.slice(reference.indexOf('#') + 1);
      const isDynamic = target.resource?.dynamicAnchors.get(name) === target;
      addStep(node, 'always', (run, value, seen) => {
        run.budget.spend(run.scope?.length ?? 0);
        const outer = isDynamic ? run.scope?.find(({ dynamicAnchors }) => dynamicAnchors.has(name)) : undefined;
        return visit(run, outer?.dynamicAnchors.get(name) ?? target, value, seen);
      });
    },
  },
};

export const recursiveKeywords: Record<string, Keyword> = {
  $recursiveRef: {
    accepts: (value) => value === '#',
    build({ node, refer }) {
      const target = refer('#');
      addStep(node, 'always', (run, value, seen) => {
        run.budget.spend(run.scope?.length ?? 0);
        const outer = target.resource?.isRecursive ? run.scope?.find(({ isRecursive }) => isRecursive) : undefined;
        return visit(run, outer?.root ?? target, value, seen);
      });
    },
  },
};
