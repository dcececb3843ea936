import { requirementsOf } from './requirement.ts';

export const workflowRequirements = requirementsOf('workflows', {
  'Resources: Workflows': {
    'WORKFLOWS-FIELDS': 'a workflow has id, name, display_name, type, customer_id and workspace_id',
    'WORKFLOWS-ARCHIVED-FIELD': 'list items carry archived',
    'WORKFLOWS-ACTIVE-FIELD': 'a single workflow carries active',
    'WORKFLOWS-REGISTRATION-FIELDS': 'a registration has id, workflow_id, a definition with input_schema, and active',
    'WORKFLOWS-EXECUTION-FIELDS': 'an execution names itself, its root, its workflow and its status',
    'WORKFLOWS-EXECUTION-START-TIME': 'start_time is ISO 8601 UTC with fractional seconds',
    'WORKFLOWS-EXECUTION-RUNNING': 'while RUNNING, end_time and result are null',
  },
  'Resources: Workflow event': {
    'WORKFLOWS-EVENT-FIELDS': 'an event has the listed fields, each of its type',
    'WORKFLOWS-EVENT-PARENT': 'parent_workflow_exec_id is null for a root execution',
    'WORKFLOWS-EVENT-ATTRIBUTES':
      'the attributes of a started execution hold input with value, task_id and workflow_name',
  },
  'States: Workflow': {
    'WORKFLOWS-ARCHIVE-STATE': 'archiving an active workflow makes it archived',
    'WORKFLOWS-ARCHIVE-AGAIN': 'archiving an archived workflow leaves it archived and still returns it',
    'WORKFLOWS-UNARCHIVE-STATE': 'unarchiving an archived workflow makes it active',
    'WORKFLOWS-UNARCHIVE-AGAIN': 'unarchiving an active workflow leaves it active and still returns it',
  },
  'Endpoints: Workflows, parameters': {
    'WORKFLOWS-LIST-PARAMETERS': 'the list accepts include_shared, order, limit and active_only',
    'WORKFLOWS-REGISTRATIONS-PARAMETERS': 'registrations accept active_only, include_shared, with_workflow and limit',
    'WORKFLOWS-REGISTRATION-PARAMETERS': 'one registration accepts with_workflow and include_shared',
    'WORKFLOWS-WAIT': 'execute with wait_for_result answers the synchronous response with the result',
  },
  'Endpoints: Workflows, GET /v1/workflows': {
    'WORKFLOWS-LIST': 'the list answers workflows with archived, display_name, id and name',
    'WORKFLOWS-LIST-CURSOR': 'next_cursor continues the list without gap or repetition and is null at its end',
  },
  'Endpoints: Workflows, GET /v1/workflows/registrations': {
    'WORKFLOWS-REGISTRATIONS': 'registrations are answered under workflow_registrations and under workflow_versions',
    'WORKFLOWS-REGISTRATIONS-CURSOR': 'next_cursor continues the registrations without gap or repetition',
  },
  'Endpoints: Workflows, GET /v1/workflows/registrations/{workflow_registration_id}': {
    'WORKFLOWS-REGISTRATION': 'one registration is answered under workflow_registration and under workflow_version',
  },
  'Endpoints: Workflows, POST /v1/workflows/registrations/{workflow_registration_id}/execute': {
    'WORKFLOWS-REGISTRATION-EXECUTE': 'executing a registration answers an execution response',
    'WORKFLOWS-REGISTRATION-EXECUTE-EMPTY': 'executing a registration accepts an empty object',
  },
  'Endpoints: Workflows, GET /v1/workflows/{workflow_identifier}': {
    'WORKFLOWS-GET': 'a workflow is answered under workflow',
  },
  'Endpoints: Workflows, PUT /v1/workflows/{workflow_identifier}': {
    'WORKFLOWS-UPDATE': 'an update answers the changed workflow',
    'WORKFLOWS-UPDATE-EMPTY': 'an update accepts an empty object and changes nothing',
  },
  'Endpoints: Workflows, POST /v1/workflows/{workflow_identifier}/execute': {
    'WORKFLOWS-EXECUTE': 'executing a workflow answers an execution response',
  },
  'Endpoints: Workflows, PUT /v1/workflows/{workflow_identifier}/archive': {
    'WORKFLOWS-ARCHIVE': 'archiving one workflow answers it under workflow',
  },
  'Endpoints: Workflows, PUT /v1/workflows/{workflow_identifier}/unarchive': {
    'WORKFLOWS-UNARCHIVE': 'unarchiving one workflow answers it under workflow',
  },
  'Endpoints: Workflows, PUT /v1/workflows/archive': {
    'WORKFLOWS-BULK-ARCHIVE': 'many are archived at once and answered under archived',
    'WORKFLOWS-BULK-ARCHIVE-FAILED': 'those that fail have an entry with a message, and the others are archived',
  },
  'Endpoints: Workflows, PUT /v1/workflows/unarchive': {
    'WORKFLOWS-BULK-UNARCHIVE': 'many are unarchived at once and answered under unarchived',
    'WORKFLOWS-BULK-UNARCHIVE-FAILED': 'those that fail have an entry with a message, and the others are unarchived',
  },
  'Endpoints: Workflow events, GET /v1/workflows/events/stream': {
    'WORKFLOWS-STREAM': 'the stream answers 200 with Server-Sent Events',
    'WORKFLOWS-STREAM-FILTERS': 'each of the listed query filters narrows the stream',
    'WORKFLOWS-STREAM-NEEDS-ID': 'a stream without any of the three execution ids is refused',
  },
  'Endpoints: Workflow events, GET /v1/workflows/events/list': {
    'WORKFLOWS-EVENTS-LIST': 'stored events are answered under events',
    'WORKFLOWS-EVENTS-LIMIT': 'limit bounds the number of events',
  },
  'Events: 1': {
    'WORKFLOWS-STREAM-START-SEQ': 'start_seq begins the stream at that sequence number',
    'WORKFLOWS-EVENTS-SAME': 'the stream and the list show the same events',
  },
  'decisions: Numbers and shapes': {
    'WORKFLOWS-EVENT-MICROSECONDS': 'event_timestamp is microseconds since the epoch',
    'WORKFLOWS-EVENT-NANOSECONDS': 'nanoseconds sent by a worker are converted on intake',
    'WORKFLOWS-SAFE-INTEGERS': 'no integer on the wire exceeds 2^53',
    'WORKFLOWS-SEQUENCE': 'broker_sequence counts per root execution from 1, gapless in commit order',
    'WORKFLOWS-SEQUENCE-FILTERED': 'a filtered reader sees jumps in the sequence but misses no event that matches',
    'WORKFLOWS-START-SEQ-INCLUSIVE': 'start_seq is inclusive and Last-Event-ID exclusive',
    'WORKFLOWS-STREAM-STAR': 'the filter * counts as no filter, also for the three execution ids',
  },
  'decisions: Workflows': {
    'WORKFLOWS-EXECUTE-UNREGISTERED': 'executing what has no registration is 404 WF_1100',
    'WORKFLOWS-EXECUTE-NO-WORKER': 'executing without an active worker is 404 with a sentence',
    'WORKFLOWS-EXECUTE-AMBIGUOUS': 'two active deployments without deployment_name are 409',
    'WORKFLOWS-EXECUTE-ARCHIVED': 'executing an archived workflow is 409 WF_1110',
    'WORKFLOWS-EXECUTE-DUPLICATE': 'an execution id that is still running is 409 WF_1101',
    'WORKFLOWS-RESERVED-NAMES': 'the words of the paths cannot be names of workflows',
    'WORKFLOWS-WAIT-TIMEOUT': 'a wait that outlasts timeout_seconds is 504 WF_1103 and the execution goes on',
  },
  'decisions: Streams and resume': {
    'WORKFLOWS-STREAM-RESUME': 'an event stream is durable and resumes without gap or repetition',
    'WORKFLOWS-LOGS-RESUME': 'a log stream is durable and resumes without gap or repetition',
  },
});
