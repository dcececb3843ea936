import { ApiError, type PageTokens, ValidationFailed, type ValidationItem } from '../kit/http/index.ts';

/** The family's codes; those over 1109 are ours, because the contract leaves their cases without one. */
const CODES = {
  notFound: 'WF_1100',
  alreadyStarted: 'WF_1101',
  notRunning: 'WF_1102',
  platform: 'WF_1103',
  registration: 'WF_1104',
  archived: 'WF_1110',
  noWorker: 'WF_1111',
  ambiguous: 'WF_1112',
  failed: 'WF_1113',
  handlerFailed: 'WF_1114',
  schedule: 'WF_1200',
  scheduleNotFound: 'WF_1201',
  notManaged: 'WF_1115',
  noCluster: 'WF_1116',
} as const;

/** Another workspace's object answers with exactly the same words as a missing one. */
function missing(kind: string, id: string, code: string): ApiError {
  return new ApiError(404, `No ${kind} '${id}' was found. Check it, and that the key belongs to its workspace.`, {
    code,
  });
}

export const noWorkflow = (identifier: string) => missing('workflow', identifier, CODES.notFound);
export const noRegistration = (id: string) => missing('workflow registration', id, CODES.notFound);
export const noExecution = (id: string) => missing('execution', id, CODES.notFound);
export const noRun = (id: string) => missing('run', id, CODES.notFound);
export const noDeployment = (name: string) => missing('deployment', name, CODES.notFound);
export const noGraph = (id: string) => missing('graph of the workflow registration', id, CODES.notFound);
export const noSchedule = (id: string) => missing('schedule', id, CODES.scheduleNotFound);

export function noActiveWorker(workflow: string, deployment?: string): ApiError {
  const where = deployment === undefined ? '' : ` in the deployment '${deployment}'`;
  return new ApiError(
    404,
    `No active worker serves the workflow '${workflow}'${where}. Start one, and try again when it has registered.`,
    { code: CODES.noWorker },
  );
}

export function severalDeployments(workflow: string, deployments: string[]): ApiError {
  return new ApiError(
    409,
    `The workflow '${workflow}' is served by several deployments: ${deployments.join(', ')}. Name one in deployment_name.`,
    { code: CODES.ambiguous },
  );
}

export function isArchived(workflow: string): ApiError {
  return new ApiError(409, `The workflow '${workflow}' is archived and is not started. Unarchive it first.`, {
    code: CODES.archived,
  });
}

/** The execution goes on; only the wait for it ended. */
export function waitedTooLong(executionId: string): ApiError {
  return new ApiError(504, `The execution '${executionId}' did not end in time; it goes on.`, { code: CODES.platform });
}

/** Who waits for a result and gets none is told why, in the words of the workflow. */
export function endedWithoutResult(executionId: string, status: string, reason: string | undefined): ApiError {
  const detail = `The execution '${executionId}' ended as ${status}${reason ? `: ${reason}` : '.'}`;
  return new ApiError(409, detail, {
    code: CODES.failed,
    body: { detail, code: CODES.failed, status, execution_id: executionId },
  });
}

export function unprocessable(
  items: ValidationItem[],
  extra: Record<string, unknown> = {},
): ApiError | ValidationFailed {
  if (Object.keys(extra).length === 0) return new ValidationFailed(items);
  return new ApiError(422, 'The request is not valid.', { body: { detail: items, code: 'WF_1001', ...extra } });
}

/** One mistake that only the service can see, in the place of the request where it stands. */
export function invalid(loc: (string | number)[], msg: string, input: unknown): ValidationFailed {
  return new ValidationFailed([{ type: 'value_error', loc, msg: `Value error, ${msg}`, input }]);
}

export function notManaged(): ApiError {
  return new ApiError(
    409,
    'This server does not build deployments from repositories. Start workers yourself with "tramontane worker"; they make their deployment when they register.',
    { code: CODES.notManaged },
  );
}

export function unknownHandler(kind: string, name: string, known: string[]): ValidationFailed {
  const choice = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none';
  return invalid(['body', 'name'], `this workflow has no ${kind} of that name: ${choice}`, name);
}

export function handlerFailed(kind: string, name: string, message: string): ApiError {
  return new ApiError(409, `The ${kind} '${name}' failed: ${message}`, { code: CODES.handlerFailed });
}

export function hasEndedAlready(executionId: string, status: string): ApiError {
  const detail = `The execution '${executionId}' is not running any more: it ended as ${status}.`;
  return new ApiError(409, detail, { code: CODES.notRunning, body: { detail, code: CODES.notRunning, status } });
}

/** A server was started with or without Temporal while executions of the other engine were still open. */
export function onOtherEngine(executionId: string, engine: string): ApiError {
  return new ApiError(
    409,
    `The execution '${executionId}' was begun on ${engine}, which this server does not run workflows on now. It goes on when it does.`,
    { code: CODES.platform },
  );
}

export function notOnTemporal(): ApiError {
  return new ApiError(409, 'This server runs workflows itself and not on Temporal. Restart the worker.', {
    code: CODES.platform,
  });
}

export function temporalUnreachable(cause: unknown): ApiError {
  return new ApiError(503, 'Temporal does not answer. Try again later.', { code: CODES.platform, cause });
}

export function unansweredQuery(executionId: string): ApiError {
  return new ApiError(504, `No worker answered the query of '${executionId}' in time. Is one running?`, {
    code: CODES.platform,
  });
}

export function alreadyStarted(executionId: string): ApiError {
  return new ApiError(
    409,
    `An execution '${executionId}' is running already. Wait for its end, or choose another id.`,
    {
      code: CODES.alreadyStarted,
    },
  );
}

export function scheduleExists(id: string): ApiError {
  return new ApiError(409, `A schedule '${id}' exists already. Change it, or choose another id.`, {
    code: CODES.schedule,
  });
}

/** A cursor that is not one of ours is a mistake in the query like any other. */
export function readCursor(
  tokens: PageTokens,
  question: readonly string[],
  cursor: string | undefined,
  name = 'cursor',
): unknown {
  if (cursor === undefined) return undefined;
  try {
    return tokens.read(question, cursor);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalid(['query', name], 'this does not continue this list; send what the page before gave you', cursor);
  }
}

/** A worker that does not hold what the execution was started with. */
export function wrongExecutionToken(executionId: string): ApiError {
  return new ApiError(403, `The execution token does not belong to this run of the execution '${executionId}'.`, {
    code: CODES.registration,
  });
}

/** Of the second version of the way that events take; workers tell by these codes what to do next. */
export function routeRefused(status: 401 | 403 | 404, code: string, detail: string): ApiError {
  return new ApiError(status, detail, { code, body: { detail, code } });
}

/** A worker of the official SDK at a server that has no cluster to give it work from. */
export function notOnCluster(): ApiError {
  return new ApiError(
    409,
    'This server runs workflows itself. Workers of the official Python SDK need one with TRAMONTANE_TEMPORAL_ADDRESS.',
    { code: CODES.noCluster },
  );
}

export function notResettable(eventId: number, validEvents: number[]): Error {
  const msg = `Event ${eventId} is not the end of a workflow task; valid_reset_events lists those that are.`;
  return unprocessable([{ type: 'value_error', loc: ['body', 'event_id'], msg, input: eventId }], {
    valid_reset_events: validEvents,
  });
}
