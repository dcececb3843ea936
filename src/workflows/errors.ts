import { ApiError, defineErrors, missing, type PageTokens, ValidationFailed } from '../kit/http/index.ts';

/** Codes above WF_1109 are our own: the contract gives their cases none. */
const CODES = {
  invalid: 'WF_1001',
  notFound: 'WF_1100',
  alreadyStarted: 'WF_1101',
  notRunning: 'WF_1102',
  platform: 'WF_1103',
  registration: 'WF_1104',
} as const;

const absent = <const Kind extends string>(kind: Kind) => ({ ...missing(kind), wireCode: CODES.notFound });

const invalid = (when: string, fix: string) => ({ status: 422, when, fix, wireCode: CODES.invalid }) as const;

export const workflowErrors = defineErrors({
  workflow_not_found: absent('workflow'),
  workflow_registration_not_found: absent('workflow registration'),
  execution_not_found: absent('execution'),
  run_not_found: absent('run'),
  deployment_not_found: absent('deployment'),
  graph_not_found: absent('graph of the workflow registration'),
  schedule_not_found: { ...missing('schedule'), wireCode: 'WF_1201' },
  workflow_tags_too_many: invalid('A workflow would have more tags than it may.', 'Remove some with an update first.'),
  execution_token_unknown: {
    status: 404,
    fix: 'Send the token that came with the input of the run.',
    message: 'No run has this execution token. Send the one that came with the input of the run.',
    wireCode: CODES.notFound,
  },
  execution_token_mismatch: {
    status: 403,
    when: 'A worker reports a run with the token of another run.',
    fix: 'Send the token that came with the input of the run.',
    message: (executionId: string) =>
      `The execution token does not belong to this run of the execution '${executionId}'.`,
    wireCode: CODES.registration,
  },
  executor_refused: {
    status: 403,
    when: 'A worker asks for the identity of a run whose user may not start executions any more.',
    fix: 'End the execution, or start it again for another user.',
    message: (executionId: string) =>
      `The user for whom the execution '${executionId}' runs has left, or may not run workflows any more.`,
    wireCode: CODES.registration,
  },
  execution_already_started: {
    status: 409,
    when: 'An execution with this id is running.',
    fix: 'Wait for its end, or choose another id.',
    message: (executionId: string) =>
      `An execution '${executionId}' is running already. Wait for its end, or choose another id.`,
    wireCode: CODES.alreadyStarted,
  },
  execution_not_running: {
    status: 409,
    when: 'The execution has ended; `status` says how.',
    fix: 'Start a new execution.',
    wireCode: CODES.notRunning,
  },
  execution_without_result: {
    status: 409,
    when: 'The client waited for a result, and the execution ended without one; `status` says how.',
    fix: 'Read the reason in `detail`, and start the execution again if it makes sense.',
    wireCode: 'WF_1113',
  },
  execution_wait_timeout: {
    status: 504,
    when: 'The client waited for a result, and the execution did not end in time. It continues.',
    fix: 'Poll the execution that `execution_id` and the header `tramontane-execution-id` name, or follow its events.',
    wireCode: CODES.platform,
  },
  execution_on_other_engine: {
    status: 409,
    when: 'The execution was started before the server was switched to or from Temporal.',
    fix: 'Switch the server back to let it continue, or start a new execution.',
    message: (executionId: string, engine: string) =>
      `The execution '${executionId}' was started on ${engine}, which this server does not use now. It continues when the server does.`,
    wireCode: CODES.platform,
  },
  execution_quarantined: {
    status: 409,
    when: 'A query or update is sent to an execution that is set aside, because several workers did not survive it.',
    fix: 'Mend its code and have it tried again, or terminate it.',
    message: (executionId: string, reason: string) =>
      `The execution '${executionId}' is set aside, and no worker gets it: ${reason} Mend its code and have it tried again, or terminate it.`,
    wireCode: 'WF_1117',
  },
  execution_not_quarantined: {
    status: 409,
    when: 'An execution is to be tried again that is not set aside.',
    fix: 'Read the list of what is set aside again.',
    message: (executionId: string) => `The execution '${executionId}' is not set aside.`,
  },
  too_many_messages: {
    status: 429,
    fix: 'Send more when it has read some.',
    message: 'This execution has too many unread messages. Try again later.',
  },
  too_many_queries: {
    status: 429,
    fix: 'Try again later, or start more workers.',
    message: 'Too many queries wait for their answers. Try again later.',
  },
  query_timeout: {
    status: 504,
    when: 'No worker answered a query in time.',
    fix: 'Check that a worker of the deployment is running.',
    message: (executionId: string) => `No worker answered the query of '${executionId}' in time. Is one running?`,
    wireCode: CODES.platform,
  },
  handler_failed: {
    status: 409,
    when: 'The handler of a query or update failed; `detail` has its message.',
    fix: 'Fix the call or the code of the handler.',
    message: (kind: string, name: string, message: string) => `The ${kind} '${name}' failed: ${message}`,
    wireCode: 'WF_1114',
  },
  workflow_archived: {
    status: 409,
    when: 'An archived workflow is started.',
    fix: 'Unarchive the workflow first.',
    message: (workflow: string) => `The workflow '${workflow}' is archived and cannot be started. Unarchive it first.`,
    wireCode: 'WF_1110',
  },
  worker_not_active: {
    status: 404,
    when: 'No active worker serves the workflow.',
    fix: 'Start a worker, and try again when it has registered.',
    message: (workflow: string, deployment?: string) => {
      const where = deployment === undefined ? '' : ` in the deployment '${deployment}'`;
      return `No active worker serves the workflow '${workflow}'${where}. Start one, and try again when it has registered.`;
    },
    wireCode: 'WF_1111',
  },
  deployment_ambiguous: {
    status: 409,
    when: 'Several deployments serve the workflow.',
    fix: 'Name one in `deployment_name`.',
    message: (workflow: string, deployments: string[]) =>
      `The workflow '${workflow}' is served by several deployments: ${deployments.join(', ')}. Name one in deployment_name.`,
    wireCode: 'WF_1112',
  },
  deployments_not_managed: {
    status: 409,
    fix: 'Start workers with `tramontane worker`; they create their deployment when they register.',
    message:
      'This server does not build deployments from repositories. Start workers with "tramontane worker"; they create their deployment when they register.',
    wireCode: 'WF_1115',
  },
  schedule_exists: {
    status: 409,
    when: 'A schedule with this id exists.',
    fix: 'Change it, or choose another id.',
    message: (id: string) => `A schedule '${id}' exists already. Change it, or choose another id.`,
    wireCode: 'WF_1200',
  },
  worker_not_on_temporal: {
    status: 409,
    fix: 'Restart the worker.',
    message: 'This server runs workflows itself and not on Temporal. Restart the worker.',
    wireCode: CODES.platform,
  },
  temporal_required: {
    status: 409,
    fix: 'Start the server with `TRAMONTANE_TEMPORAL_ADDRESS`.',
    message:
      'This server runs workflows itself. Workers of the official Python SDK need one with TRAMONTANE_TEMPORAL_ADDRESS.',
    wireCode: 'WF_1116',
  },
  temporal_unreachable: {
    status: 503,
    fix: 'Try again later.',
    message: 'Temporal does not respond. Try again later.',
    wireCode: CODES.platform,
  },
  event_route_not_found: {
    status: 404,
    when: 'A worker asks for a route token for a run that the workspace does not have.',
    fix: 'Register the execution first.',
    wireCode: 'EVENT_ROUTE_SCOPE_NOT_FOUND',
  },
  event_route_binding_invalid: {
    status: 403,
    when: 'The execution token belongs to another run.',
    fix: 'Send the token that came with the input of the run.',
    wireCode: 'EVENT_ROUTE_TOKEN_BINDING_INVALID',
  },
  event_route_token_expired: {
    status: 401,
    when: 'The route token is older than 15 minutes.',
    fix: 'Ask for another.',
    wireCode: 'EVENT_ROUTE_TOKEN_EXPIRED',
  },
  event_route_token_invalid: {
    status: 401,
    when: 'The route token is missing, not valid, or does not cover these events.',
    fix: 'Ask for one for the run of these events.',
    wireCode: 'EVENT_ROUTE_TOKEN_INVALID',
  },
  reset_event_not_valid: invalid(
    'An execution is reset to an event that does not end a workflow task.',
    'Choose one of `valid_reset_events`.',
  ),
  input_not_valid: invalid(
    'An input does not match the JSON Schema of the workflow or handler.',
    'Send what the schema describes.',
  ),
  input_encoding_not_supported: invalid(
    'An input is compressed, encrypted or stored elsewhere by the client.',
    'Send plain JSON; the server stores large and secret payloads itself.',
  ),
  payload_too_large: invalid('A payload is larger than 2 MiB as JSON.', 'Store the content as a file and pass its id.'),
  handler_unknown: invalid(
    'The workflow has no signal, query or update of this name.',
    'Use one of the names in the message.',
  ),
  cursor_not_valid: invalid(
    'A cursor does not belong to this list and its filters.',
    'Send the cursor of the previous page with the same filters.',
  ),
  last_event_id_not_valid: invalid(
    '`Last-Event-ID` is not the id of an event of this stream.',
    'Send the id of the last event that you received.',
  ),
  execution_filter_required: invalid('A stream of events is opened without an execution id.', 'Name an execution.'),
  event_type_not_allowed: invalid(
    'A worker publishes an event that the engine of this server publishes itself.',
    'Publish only events of custom tasks.',
  ),
  workflow_name_repeated: invalid('A worker registers two workflows of one name.', 'Give each workflow its own name.'),
  input_schema_not_valid: invalid(
    'A registered input schema is too long or not a JSON Schema.',
    'Send a valid, shorter schema.',
  ),
  time_zone_unknown: invalid(
    'A schedule names a time zone that the IANA database does not have.',
    'Use a name such as `Europe/Paris`.',
  ),
  cron_not_valid: invalid(
    'A cron expression cannot be parsed.',
    'Send five fields: minute, hour, day of the month, month, day of the week.',
  ),
  calendar_range_not_valid: invalid(
    'A range of a calendar is outside its limits.',
    'Stay within the limits in the message.',
  ),
  duration_not_valid: invalid(
    'A duration cannot be parsed, or an interval is shorter than a second.',
    'Send an ISO 8601 duration such as `PT1H30M`.',
  ),
  schedule_workflow_required: invalid(
    'A schedule names no workflow.',
    'Send `workflow_identifier` or `workflow_registration_id`.',
  ),
  workflow_not_schedulable: invalid(
    'A workflow that acts on behalf of its caller is scheduled.',
    'Start it by a request, or register it without `on_behalf_of`.',
  ),
  schedule_without_starts: invalid(
    'A schedule has no future start.',
    'Give it a calendar, an interval or a cron expression that has one.',
  ),
  schedule_too_expensive: invalid(
    'The next start of a schedule takes too long to compute.',
    'Use fewer calendars and cron expressions, and skip fewer times.',
  ),
});

type Refusal = 'event_route_not_found' | 'event_route_binding_invalid' | `event_route_token_${'expired' | 'invalid'}`;

/** Workers of the official SDK decide by these codes, also at a 401, whose body shows no code elsewhere. */
export function refuseEventRoute(reason: Refusal, detail: string): ApiError {
  const { [reason]: create } = workflowErrors;
  return create(detail, { body: { detail, code: create.entry.wireCode } });
}

export function executionNotRunning(executionId: string, status: string): ApiError {
  const detail = `The execution '${executionId}' is not running any more: it ended as ${status}.`;
  return workflowErrors.execution_not_running(detail, { body: { detail, code: CODES.notRunning, status } });
}

/** The body names the execution, which the caller may not have named itself. */
export function executionWaitTimeout(executionId: string): ApiError {
  const detail = `The execution '${executionId}' did not end in time. It continues.`;
  return workflowErrors.execution_wait_timeout(detail, {
    headers: { 'tramontane-execution-id': encodeURIComponent(executionId) },
    body: { detail, code: CODES.platform, status: 'RUNNING', execution_id: executionId },
  });
}

export function executionWithoutResult(executionId: string, status: string, reason: string | undefined): ApiError {
  const detail = `The execution '${executionId}' ended as ${status}${reason ? `: ${reason}` : '.'}`;
  return workflowErrors.execution_without_result(detail, {
    body: { detail, code: 'WF_1113', status, execution_id: executionId },
  });
}

export function resetEventNotValid(eventId: number, validEvents: number[]): ValidationFailed {
  const msg = `Event ${eventId} is not the end of a workflow task; valid_reset_events lists those that are.`;
  const item = workflowErrors.reset_event_not_valid.item(['body', 'event_id'], msg, eventId);
  return new ValidationFailed([item], { valid_reset_events: validEvents });
}

/** The position that a cursor of ours encodes. */
export function parseCursor(
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
    const msg = 'This cursor does not belong to this list. Send the one of the previous page.';
    throw workflowErrors.cursor_not_valid(['query', name], msg, cursor);
  }
}
