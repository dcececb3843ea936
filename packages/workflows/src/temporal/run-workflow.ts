import {
  CancellationScope,
  currentUpdateInfo,
  setDefaultQueryHandler,
  setDefaultSignalHandler,
  setDefaultUpdateHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Json } from '../protocol.ts';
import { registry } from '../registry.ts';
import { answerQuery } from './query-failures.ts';
import { TemporalExecution } from './temporal-execution.ts';

/** The only Temporal workflow function: it runs the workflow of the execution. */
export default async function runWorkflow(input: Json = null): Promise<Json> {
  const { workflowType } = workflowInfo();
  const workflow = registry().workflows.get(workflowType);
  // The turn fails, and a worker that has the code repeats it.
  if (!workflow) throw new Error(`This worker has no workflow "${workflowType}".`);
  const cancelled = CancellationScope.current().cancelRequested;
  // Our scopes handle cancellation, because they support shields.
  return CancellationScope.nonCancellable(() => {
    const execution = new TemporalExecution(workflow);
    cancelled.catch(() => execution.requestCancel('The execution was cancelled.'));
    setDefaultSignalHandler((name, given) => execution.handlers.signal(name, toInput(given)));
    setDefaultQueryHandler((name, given) => answerQuery(() => execution.handlers.query(name, toInput(given))));
    setDefaultUpdateHandler((name, given) => execution.update(currentUpdateInfo()?.id ?? name, name, toInput(given)));
    execution.start(input);
    return execution.ended;
  });
}

function toInput(given: unknown): Json {
  return (given ?? null) as Json;
}
