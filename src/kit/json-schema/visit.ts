import { SPENT } from './budget.ts';
import {
  ANY_TYPE,
  createSeen,
  type JsonObject,
  mergeSeen,
  type Node,
  type Run,
  SEEN_STEPS,
  type Seen,
  type Step,
  TYPE,
  typeOf,
} from './node.ts';

/** Schemas within schemas at once; well below what the stack holds. */
const DEPTH_MAX = 1000;
const MISTAKES_MAX = 20;

/** Whether the value is valid by the schema. Throws `SPENT` when that costs too much. */
export function visit(run: Run, node: Node, value: unknown, seen: Seen | undefined): boolean {
  run.budget.spend(1);
  if (typeof node.raw === 'boolean') return node.raw || refuse(run, 'false schema', 'boolean schema is false');
  if (run.depth >= DEPTH_MAX) throw SPENT;
  run.depth += 1;
  const { scope } = run;
  const isEntering = scope !== undefined && node.resource !== undefined && scope.at(-1) !== node.resource;
  if (isEntering && node.resource) scope.push(node.resource);
  const hasOwn = node.unevaluated.length > 0;
  if (hasOwn) run.budget.spend(SEEN_STEPS);
  const own = hasOwn ? createSeen() : seen;
  const isValid = applyNode(run, node, value, own);
  if (isValid && own && seen && own !== seen) mergeSeen(seen, own, run.budget);
  if (isEntering) scope.pop();
  run.depth -= 1;
  return isValid;
}

/** The same for a property or an item. */
export function visitChild(run: Run, node: Node, value: unknown, key: string | number): boolean {
  if (!run.mistakes) return visit(run, node, value, undefined);
  run.path.push(key);
  const isValid = visit(run, node, value, undefined);
  run.path.pop();
  return isValid;
}

function applyNode(run: Run, node: Node, value: unknown, seen: Seen | undefined): boolean {
  const type = typeOf(value);
  if ((node.types & type) === 0) return refuseType(run, node);
  if (!applySteps(run, node.always, value, seen)) return false;
  if (!applySteps(run, stepsFor(node, type) as Step[], value, seen)) return false;
  return applySteps(run, node.unevaluated, value, seen);
}

function applySteps(run: Run, steps: Step[], value: unknown, seen: Seen | undefined): boolean {
  if (steps.length === 0) return true;
  run.budget.spend(steps.length);
  for (const step of steps) if (!step(run, value, seen)) return false;
  return true;
}

function stepsFor(node: Node, type: number): unknown[] {
  if (type === TYPE.object) return node.objects;
  if (type === TYPE.array) return node.arrays;
  if (type === TYPE.string) return node.strings;
  return (type & TYPE.number) !== 0 ? node.numbers : [];
}

function refuseType(run: Run, node: Node): false {
  if (!run.mistakes) return false;
  const names = Object.entries(TYPE).flatMap(([name, bit]) =>
    (node.types & bit) === 0 || node.types === ANY_TYPE ? [] : [name],
  );
  return refuse(run, 'type', `must be ${names.join()}`, { type: names.length === 1 ? names[0] : names });
}

/** Notes the mistake if somebody asked for it. */
export function refuse(run: Run, keyword: string, message: string | (() => string), params: JsonObject = {}): false {
  if (!run.mistakes || run.mistakes.length >= MISTAKES_MAX) return false;
  const instancePath = run.path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  run.mistakes.push({ keyword, instancePath, params, message: typeof message === 'string' ? message : message() });
  return false;
}

/** Visits a schema whose mistakes count only if the one around it fails. Answers how many were noted before. */
export const noted = (run: Run): number => run.mistakes?.length ?? 0;

export function forget(run: Run, since: number): void {
  if (run.mistakes && run.mistakes.length > since) run.mistakes.length = since;
}
