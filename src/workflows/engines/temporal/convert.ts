import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { Failure, FailureDetails, Json } from '../../../../packages/workflows/src/protocol.ts';
import { plainOf } from './wf-payloads.ts';

type Payload = temporal.api.common.v1.IPayload;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type ProtoFailure = temporal.api.failure.v1.IFailure | null | undefined;

export function toPayload(value: Json): Payload {
  return defaultPayloadConverter.toPayload(value) as Payload;
}

/** Values as JSON; null for values that are not JSON, such as bytes. */
export function fromPayload(payload: Payload): Json {
  try {
    const value = defaultPayloadConverter.fromPayload<Json | undefined>(plainOf(payload) as never);
    return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
  } catch {
    return null;
  }
}

export const fromPayloads = (payloads: Payloads): Json[] => (payloads?.payloads ?? []).map(fromPayload);

export const firstOf = (payloads: Payloads): Json => fromPayloads(payloads)[0] ?? null;

/** The failure as our worker reported it, else as Temporal describes it. */
export function toFailure(failure: ProtoFailure): Failure {
  if (!failure) return { message: 'It failed without a message.' };
  const info = failure.applicationFailureInfo;
  // Encrypting workers put message and stack into a payload.
  const apart = failure.encodedAttributes && fromPayload(failure.encodedAttributes);
  const { message, stack_trace: stack } = (isObject(apart) ? apart : plainMessage(failure)) as Message;
  const [details] = fromPayloads(info?.details);
  if (isOurs(details)) return details.failure;
  // The failure of a step or child only wraps its cause.
  if (failure.cause && (failure.activityFailureInfo || failure.childWorkflowExecutionFailureInfo))
    return toFailure(failure.cause);
  return {
    message: message || 'It failed without a message.',
    type: info?.type || 'Error',
    ...(info?.nonRetryable ? { non_retryable: true } : {}),
    ...(stack ? { stack } : {}),
    ...(failure.cause ? { cause: toFailure(failure.cause) } : {}),
  };
}

type Message = { message?: string | null | undefined; stack_trace?: string | null | undefined };

const plainMessage = ({ message, stackTrace }: NonNullable<ProtoFailure>): Message => ({
  message,
  stack_trace: stackTrace,
});

function isOurs(details: Json | undefined): details is FailureDetails & Json {
  return isObject(details) && 'failure' in details;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
