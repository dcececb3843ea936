import type { AnyStep } from './define-step.ts';
import type { AnyWorkflow } from './define-workflow.ts';

/** Everything that was defined in this process, by all copies of this package: what a worker without a list runs. */
export type Registry = { workflows: Map<string, AnyWorkflow>; steps: Map<string, AnyStep>; conflicts: string[] };

const KEY = Symbol.for('tramontane.workflows.registry');

export function registry(): Registry {
  const holder = globalThis as { [KEY]?: Registry };
  holder[KEY] ??= { workflows: new Map(), steps: new Map(), conflicts: [] };
  return holder[KEY];
}

/** Whoever loads a project wants what its files define, and nothing that was there before. */
export function clearRegistry(): void {
  const { workflows, steps, conflicts } = registry();
  workflows.clear();
  steps.clear();
  conflicts.length = 0;
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Words that stand in a workflow's place in the API's paths. */
const PATH_WORDS = new Set([
  ...['archive', 'unarchive', 'events', 'executions', 'registrations', 'runs'],
  ...['schedules', 'deployments', 'workers', 'register', 'metrics'],
]);

export function checkName(kind: 'workflow' | 'step', name: string): void {
  if (!NAME.test(name))
    throw new TypeError(
      `"${name}" cannot be the name of a ${kind}: use 1 to 128 letters, digits, hyphens and underscores.`,
    );
  if (kind === 'workflow' && PATH_WORDS.has(name))
    throw new TypeError(`"${name}" cannot be the name of a workflow: it is a word of the API's paths.`);
  if (name.startsWith('__'))
    throw new TypeError(`"${name}" cannot be the name of a ${kind}: names that begin with __ are the platform's.`);
}

/** Two different things under one name are reported by the worker, which refuses to guess; the later one is kept. */
export function register<Kind extends 'workflows' | 'steps'>(
  kind: Kind,
  definition: Kind extends 'workflows' ? AnyWorkflow : AnyStep,
): void {
  const known = registry()[kind] as Map<string, AnyWorkflow | AnyStep>;
  if (known.has(definition.name))
    registry().conflicts.push(`Two ${kind} are called "${definition.name}". Give each its own name.`);
  known.set(definition.name, definition);
}
