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

/** Values as JSON; of what is none, such as bytes, only that it was there. */
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

/** What a worker of ours said of the failure if it did, else what Temporal says of it. */
export function toFailure(failure: ProtoFailure): Failure {
  if (!failure) return { message: 'It failed without a message.' };
  const info = failure.applicationFailureInfo;
  // Whoever seals what it sends puts the words and the stack into a payload.
  const apart = failure.encodedAttributes && fromPayload(failure.encodedAttributes);
  const { message, stack_trace: stack } = (isObject(apart) ? apart : plainWords(failure)) as Words;
  const [details] = fromPayloads(info?.details);
  if (isOurs(details)) return details.failure;
  // That a step or a child failed is only the frame of why it did.
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

type Words = { message?: string | null | undefined; stack_trace?: string | null | undefined };

const plainWords = ({ message, stackTrace }: NonNullable<ProtoFailure>): Words => ({
  message,
  stack_trace: stackTrace,
});

function isOurs(details: Json | undefined): details is FailureDetails & Json {
  return isObject(details) && 'failure' in details;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
