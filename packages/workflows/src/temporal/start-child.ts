import { ParentClosePolicy, scheduleLocalActivity, startChild, workflowInfo } from '@temporalio/workflow';
import { ChildFailed } from '../errors.ts';
import type { Command, Failure, Json } from '../protocol.ts';
import { registry } from '../registry.ts';
import { readChildFailure } from './read-failures.ts';
import { FIND_WORKFLOW, type Route } from './route.ts';
import type { StepMeta } from './sinks.ts';

type Parent = {
  info: { run_id: string };
  meta(): StepMeta;
  launch(seq: number, begin: () => Promise<Json | undefined>, failed: (error: unknown) => { error: Error }): void;
};

type StartChild = Extract<Command, { type: 'start_child' }>;

const HOUR_MS = 3_600_000;
const FIND_MS = 10_000;
const CLOSE_POLICY = {
  terminate: ParentClosePolicy.TERMINATE,
  abandon: ParentClosePolicy.ABANDON,
  request_cancel: ParentClosePolicy.REQUEST_CANCEL,
} as const;

export function startChildOn(execution: Parent, command: StartChild): void {
  const { seq, workflow_name, input, wait, parent_close_policy } = command;
  const begin = async (): Promise<Json | undefined> => {
    const { deployment_name, execution_timeout_ms } = await findRoute(execution.meta(), command);
    const child = await startChild(workflow_name, {
      args: [input],
      workflowId: command.execution_id ?? `${execution.info.run_id}:${seq}`,
      taskQueue: deployment_name,
      parentClosePolicy: CLOSE_POLICY[parent_close_policy],
      workflowExecutionTimeout: execution_timeout_ms,
    });
    if (!wait) return { execution_id: child.workflowId, run_id: child.firstExecutionRunId };
    return (await child.result()) as Json;
  };
  execution.launch(seq, begin, (error) => ({ error: new ChildFailed(workflow_name, failureOf(error, command)) }));
}

/** Workflows of this worker run in its own deployment, unless another is named. */
async function findRoute(meta: StepMeta, { workflow_name, deployment_name }: StartChild): Promise<Route> {
  const known = registry().workflows.get(workflow_name);
  const { taskQueue } = workflowInfo();
  if (known && (deployment_name === undefined || deployment_name === taskQueue))
    return { deployment_name: taskQueue, execution_timeout_ms: known.settings.executionTimeoutMs ?? HOUR_MS };
  return scheduleLocalActivity<Route>(
    FIND_WORKFLOW,
    [meta, { workflow_name, deployment_name: deployment_name ?? null }],
    {
      scheduleToCloseTimeout: FIND_MS,
      retry: { maximumAttempts: 5 },
    },
  );
}

function failureOf(error: unknown, { execution_id }: StartChild): Failure {
  if ((error as Error)?.name === 'WorkflowExecutionAlreadyStartedError')
    return {
      message: `An execution '${execution_id}' is running already. Wait for its end, or choose another id.`,
      type: 'ChildNotStarted',
      non_retryable: true,
    };
  return readChildFailure(error);
}
