import type { AnyStep, AnyWorkflow } from './definitions.ts';

/** All definitions of this process, also by other copies of this package; the default of a worker. */
export type Registry = { workflows: Map<string, AnyWorkflow>; steps: Map<string, AnyStep>; conflicts: string[] };

const KEY = Symbol.for('tramontane.workflows.registry');

export function registry(): Registry {
  const holder = globalThis as { [KEY]?: Registry };
  holder[KEY] ??= { workflows: new Map(), steps: new Map(), conflicts: [] };
  return holder[KEY];
}

/** Clears the registry, so that loading a project returns only its own definitions. */
export function clearRegistry(): void {
  const { workflows, steps, conflicts } = registry();
  workflows.clear();
  steps.clear();
  conflicts.length = 0;
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Fixed segments of the API's paths. */
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
    throw new TypeError(`"${name}" cannot be the name of a workflow: it is a fixed segment of the API's paths.`);
  if (name.startsWith('__'))
    throw new TypeError(`"${name}" cannot be the name of a ${kind}: names that begin with __ are the platform's.`);
}

/** The worker reports duplicate names; the later definition is kept. */
export function register<Kind extends 'workflows' | 'steps'>(
  kind: Kind,
  definition: Kind extends 'workflows' ? AnyWorkflow : AnyStep,
): void {
  const known = registry()[kind] as Map<string, AnyWorkflow | AnyStep>;
  if (known.has(definition.name))
    registry().conflicts.push(`Two ${kind} are called "${definition.name}". Give each its own name.`);
  known.set(definition.name, definition);
}
