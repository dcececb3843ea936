import { addField, type Fields, Malformed, readFields } from './read-fields.ts';

/** The local activity in which official workers register each run; they try it for three seconds. */
const REGISTRATION = Buffer.from('"__internal__register_execution"');
/** httpx's names for a server that does not answer, and the SDK's own. */
const NO_ANSWER =
  /^(Connect|Read|Write|Close|Network|RemoteProtocol|Proxy|NoResponse)Error$|^(Connect|Read|Write|Pool)Timeout$|^TimeoutException$/;
/** In the SDK's words: "API error occurred: Status 503. Body: …". */
const TRY_AGAIN_STATUS = /^[^:]*: Status (408|429|5\d\d)\b/;
const WORDS_BYTES_MAX = 1000;
const CAUSES_READ = 3;
/** WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE. */
const UNHANDLED_FAILURE = 14;

export const TASK_COMPLETED = '/temporal.api.workflowservice.v1.WorkflowService/RespondWorkflowTaskCompleted';
export const TASK_FAILED = '/temporal.api.workflowservice.v1.WorkflowService/RespondWorkflowTaskFailed';

/** Of RespondWorkflowTaskCompletedRequest. */
const COMPLETED = fieldsOf({ token: [[1]], marker: [[2, 10]], identity: [[3]], namespace: [[9]] });
/** Of RecordMarkerCommandAttributes: the data of a local activity, and how it failed, with the causes. */
const failures = Array.from({ length: CAUSES_READ }, (_, depth) => [4, ...Array<number>(depth).fill(4)]);
const MARKER = fieldsOf({
  data: [[2, 2, 1, 2]],
  words: failures.map((failure) => [...failure, 1]),
  type: failures.map((failure) => [...failure, 5, 1]),
  timeout: failures.map((failure) => [...failure, 6]),
});

/**
 * A turn that ends its run because the registration did not reach this server is to be taken again: the message that
 * says so to Temporal. Undefined for any other turn, also for one whose registration this server has refused.
 */
export function retryLostRegistration(completed: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(completed.buffer, completed.byteOffset, completed.length);
  if (!bytes.includes(REGISTRATION)) return undefined;
  try {
    return rewrite(bytes);
  } catch (error) {
    // Temporal itself refuses what cannot be read.
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

function rewrite(bytes: Buffer): Buffer | undefined {
  const parts = new Map<string, Buffer>();
  let lost: string | undefined;
  readFields(bytes, COMPLETED, (part, from, to) => {
    if (part === 'marker') lost ??= readLoss(bytes.subarray(from, to));
    else parts.set(part, bytes.subarray(from, to));
  });
  if (lost === undefined) return undefined;
  const kept = (part: string) => parts.get(part) ?? Buffer.alloc(0);
  const message = Buffer.from(`The run could not be registered and is tried again. ${lost}`);
  return Buffer.concat([
    field(1, kept('token')),
    Buffer.of(2 * 8, UNHANDLED_FAILURE),
    field(3, Buffer.concat([field(1, message), field(5, field(1, Buffer.from('RegistrationLost')))])),
    field(4, kept('identity')),
    field(6, kept('namespace')),
  ]);
}

/** Why the registration was lost; undefined for other markers and for refusals. */
function readLoss(marker: Buffer): string | undefined {
  if (!marker.includes(REGISTRATION)) return undefined;
  let words: string | undefined;
  let [isRegistration, isLost] = [false, false];
  readFields(marker, MARKER, (part, from, to) => {
    const value = marker.subarray(from, Math.min(to, from + WORDS_BYTES_MAX));
    if (part === 'data') isRegistration ||= value.includes(REGISTRATION);
    else if (part === 'timeout') isLost = true;
    else if (part === 'type') isLost ||= NO_ANSWER.test(value.toString());
    else {
      words ??= value.toString();
      isLost ||= TRY_AGAIN_STATUS.test(value.toString());
    }
  });
  return isRegistration && isLost ? (words ?? '') : undefined;
}

function fieldsOf<T extends string>(paths: Record<T, readonly (readonly number[])[]>): Fields<T> {
  const fields: Fields<T> = new Map();
  for (const [label, found] of Object.entries(paths) as [T, number[][]][])
    for (const path of found) addField(fields, path, label);
  return fields;
}

function field(number: number, content: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = content.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) return Buffer.concat([Buffer.of(number * 8 + 2, ...length), content]);
  }
}
