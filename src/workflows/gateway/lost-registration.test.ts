import { temporal } from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { retryLostRegistration } from './lost-registration.ts';

const { RespondWorkflowTaskCompletedRequest, RespondWorkflowTaskFailedRequest } = temporal.api.workflowservice.v1;
type Failure = temporal.api.failure.v1.IFailure;

const taskToken = Buffer.from('a token of Temporal');
const refused: Failure = {
  message: 'All connection attempts failed',
  applicationFailureInfo: { type: 'ConnectError' },
};

/** As core writes it. */
function marker(activity_type: string, failure?: Failure) {
  const data = {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(JSON.stringify({ seq: 1, activity_type })),
  };
  return {
    recordMarkerCommandAttributes: {
      markerName: 'core_local_activity',
      details: { data: { payloads: [data] } },
      ...(failure ? { failure } : {}),
    },
  };
}
const registration = (failure?: Failure) => marker('__internal__register_execution', failure);
const fail = { failWorkflowExecutionCommandAttributes: { failure: refused } };
const judge = (...commands: object[]) =>
  retryLostRegistration(
    RespondWorkflowTaskCompletedRequest.encode({
      taskToken,
      commands,
      identity: '7@host',
      namespace: 'own',
    } as never).finish(),
  );

describe('a turn that comes back', () => {
  it('is given back to Temporal when the server was away for its registration', () => {
    const message = judge(registration(refused), fail);
    expect(RespondWorkflowTaskFailedRequest.decode(message ?? new Uint8Array()).toJSON()).toEqual({
      taskToken: taskToken.toString('base64'),
      cause: 'WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE',
      failure: {
        message: 'The run could not be registered and is tried again. All connection attempts failed',
        applicationFailureInfo: { type: 'RegistrationLost' },
      },
      identity: '7@host',
      namespace: 'own',
    });
  });

  it.each<[string, Failure]>([
    ['answers 503 while it stops', { message: 'API error occurred: Status 503. Body: {}' }],
    ['does not answer in time', { message: 'activity timed out', timeoutFailureInfo: { timeoutType: 1 } }],
    ['closes the connection', { message: '', applicationFailureInfo: { type: 'RemoteProtocolError' } }],
    ['is away, told as the cause', { message: 'Activity task failed', activityFailureInfo: {}, cause: refused }],
  ])('is taken again when the server %s', (_, failure) => {
    expect(judge(marker('other'), registration(failure), fail)).toBeDefined();
  });

  it.each<[string, object[]]>([
    ['was registered', [registration(), fail]],
    [
      'was refused',
      [
        registration({
          message: 'API error occurred: Status 403. Body: Status 503',
          applicationFailureInfo: { type: 'SDKError' },
        }),
        fail,
      ],
    ],
    ['met a mistake in the code', [registration({ message: 'x', applicationFailureInfo: { type: 'KeyError' } }), fail]],
    ['failed in another local activity', [registration(), marker('print', refused), fail]],
    [
      'only speaks of it',
      [{ failWorkflowExecutionCommandAttributes: { failure: { message: '"__internal__register_execution"' } } }],
    ],
    ['has no commands', []],
  ])('passes on as it is when its run %s', (_, commands) => {
    expect(judge(...commands)).toBeUndefined();
  });

  it('passes on as it is when it cannot be read', () => {
    const command = Buffer.concat([Buffer.from([0x12, 34, 0x52, 32]), Buffer.from('"__internal__register_execution"')]);
    expect(retryLostRegistration(command)).toBeUndefined();
  });
});
