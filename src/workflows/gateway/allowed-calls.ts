/** What a key must be allowed to do for a call. */
export type CallPermission = 'workflows:work' | 'workflows:execute' | 'workflows:read';

type Path = readonly number[];

export type AllowedCall = {
  permission: CallPermission;
  /** Where the request names its namespace; a call without one says nothing of anybody. */
  namespace?: Path;
  /** Other places that may name one: it must be the same, or be left out. */
  inner?: readonly Path[];
  /** What reaches beyond a namespace and is not passed on. */
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

/** Callbacks make the cluster call an address of the caller's choice. */
const START_CALLBACKS = [21];
const UPDATE_CALLBACKS = [5, 4];

const METHODS: Record<string, AllowedCall> = {
  GetSystemInfo: { permission: 'workflows:work' },
  // Its second field names a namespace by its id, which would be another way to a foreign one.
  DescribeNamespace: work(FIRST, { refused: [[2]] }),

  PollWorkflowTaskQueue: work(),
  PollActivityTaskQueue: work(),
  // Commands may signal, cancel and start in other namespaces, and call whom a Nexus endpoint names.
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

/**
 * What workers and clients may ask of the cluster. All else is the operator's: namespaces, search attributes, batches,
 * rules, and the services of other names.
 */
export const allowedCalls: ReadonlyMap<string, AllowedCall> = new Map([
  ...Object.entries(METHODS).map(([method, call]) => [SERVICE + method, call] as const),
  ['/grpc.health.v1.Health/Check', { permission: 'workflows:work' }] as const,
]);
