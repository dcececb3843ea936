import type {
  AnyWorkflow,
  Calls,
  SignalShape,
  Signals,
  Workflow,
  WorkflowContext,
  WorkflowSettings,
} from './definitions.ts';
import { checkName, register } from './registry.ts';
import { type InputOf, type OutputOf, readerOf, type Schema } from './schema.ts';

type Given<S> = S extends Schema ? OutputOf<S> : unknown;
type Asked<S> = S extends Schema ? InputOf<S> : unknown;

/**
 * Defines a workflow: code that waits for steps, timers and people. Workers replay it from its history, so it must be
 * deterministic: side effects belong into steps, and time and random values come from `ctx`. Do not change its name:
 * executions find their code by it.
 */
export function defineWorkflow<
  Result,
  In extends Schema | undefined = undefined,
  Out extends Schema | undefined = undefined,
  S extends Signals = Record<never, never>,
  Q extends Calls = Record<never, never>,
  U extends Calls = Record<never, never>,
>(
  name: string,
  settings: WorkflowSettings<In, Out, S, Q, U>,
  run: (ctx: WorkflowContext<S, Q, U>, input: Given<In>) => Promise<Result>,
): Workflow<Asked<In>, Result> {
  checkName('workflow', name);
  const { executionTimeoutMs, searchKeys = [] } = settings;
  if (executionTimeoutMs !== undefined && !(executionTimeoutMs > 0))
    throw new TypeError(`The workflow "${name}" cannot have executionTimeoutMs ${executionTimeoutMs}.`);
  if (searchKeys.length > 20) throw new TypeError(`The workflow "${name}" has more than 20 search keys.`);
  const workflow: AnyWorkflow = {
    kind: 'tramontane.workflow',
    name,
    settings,
    readInput: readerOf(settings.input),
    readOutput: readerOf(settings.output),
    run: run as unknown as AnyWorkflow['run'],
  };
  register('workflows', workflow);
  return workflow;
}

export function signalSchema(shape: SignalShape | undefined): Schema | undefined {
  if (shape === undefined || isSchema(shape)) return shape as Schema | undefined;
  return (shape as { input?: Schema }).input;
}

/** Tells `{ input, description }` from a plain schema. */
export function isSchema(shape: SignalShape): boolean {
  return '~standard' in shape || Object.keys(shape).some((key) => key !== 'input' && key !== 'description');
}
