/** The permission that a call needs. */
export type CallPermission = 'workflows:work' | 'workflows:execute' | 'workflows:read';

type Path = readonly number[];

export type AllowedCall = {
  permission: CallPermission;
  /** The field with the namespace; calls without one have no tenant data. */
  namespace?: Path;
  /** Other fields with a namespace: empty or the same one. */
  inner?: readonly Path[];
  /** Fields that reach beyond the namespace; rejected. */
  refused?: readonly Path[];
};

const FIRST = [1];
const work = (namespace: Path = FIRST, more: Omit<AllowedCall, 'permission' | 'namespace'> = {}): AllowedCall => ({
  permission: 'workflows:work',
  namespace,
  ...more,
});
const execute = (more: Omit<AllowedCall, 'permission' | 'namespace'> = {}): AllowedCall => ({
  permission: 'workflows:execute',
  namespace: FIRST,
  ...more,
});
const read: AllowedCall = { permission: 'workflows:read', namespace: FIRST };

const SERVICE = '/temporal.api.workflowservice.v1.WorkflowService/';

/** Callbacks would make the cluster call an arbitrary address. */
const START_CALLBACKS = [21];
const UPDATE_CALLBACKS = [5, 4];

const METHODS: Record<string, AllowedCall> = {
  GetSystemInfo: { permission: 'workflows:work' },
  // The second field selects a namespace by id, which would bypass the check.
  DescribeNamespace: work(FIRST, { refused: [[2]] }),

  PollWorkflowTaskQueue: work(),
  PollActivityTaskQueue: work(),
  // Commands could signal, cancel and start executions in other namespaces, or call Nexus endpoints.
  RespondWorkflowTaskCompleted: work([9], {
    inner: [
      [2, 9, 1],
      [2, 12, 1],
      [2, 13, 1],
    ],
    refused: [
      [2, 18],
      [2, 19],
    ],
  }),
  RespondWorkflowTaskFailed: work([6]),
  RespondQueryTaskCompleted: work([6]),
  RecordActivityTaskHeartbeat: work([4]),
  RecordActivityTaskHeartbeatById: work(),
  RespondActivityTaskCompleted: work([4]),
  RespondActivityTaskCompletedById: work(),
  RespondActivityTaskFailed: work([4]),
  RespondActivityTaskFailedById: work(),
  RespondActivityTaskCanceled: work([4]),
  RespondActivityTaskCanceledById: work(),
  ResetStickyTaskQueue: work(),
  RecordWorkerHeartbeat: work(),
  ShutdownWorker: work(),
  DescribeTaskQueue: work(),
  DescribeWorkerDeployment: work(),
  DescribeWorkerDeploymentVersion: work(),
  SetWorkerDeploymentCurrentVersion: work(),

  StartWorkflowExecution: execute({ refused: [START_CALLBACKS] }),
  SignalWithStartWorkflowExecution: execute(),
  ExecuteMultiOperation: execute({
    inner: [
      [2, 1, 1],
      [2, 2, 1],
    ],
    refused: [
      [2, 1, ...START_CALLBACKS],
      [2, 2, ...UPDATE_CALLBACKS],
    ],
  }),
  SignalWorkflowExecution: execute(),
  UpdateWorkflowExecution: execute({ refused: [UPDATE_CALLBACKS] }),
  PollWorkflowExecutionUpdate: execute(),
  RequestCancelWorkflowExecution: execute(),
  TerminateWorkflowExecution: execute(),

  QueryWorkflow: read,
  DescribeWorkflowExecution: read,
  GetWorkflowExecutionHistory: read,
  GetWorkflowExecutionHistoryReverse: read,
  ListWorkflowExecutions: read,
  CountWorkflowExecutions: read,
};

/** The calls that workers and clients may make. All others (namespaces, search attributes, batches …) are rejected. */
export const allowedCalls: ReadonlyMap<string, AllowedCall> = new Map([
  ...Object.entries(METHODS).map(([method, call]) => [SERVICE + method, call] as const),
  ['/grpc.health.v1.Health/Check', { permission: 'workflows:work' }] as const,
]);
