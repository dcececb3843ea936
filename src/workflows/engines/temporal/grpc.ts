import { isGrpcServiceError } from '@temporalio/client';
import { workflowErrors } from '../../errors.ts';

/** The gRPC status codes that we handle. */
export const CODES = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  failedPrecondition: 9,
  unavailable: 14,
} as const;

export function hasCode(error: unknown, ...codes: number[]): boolean {
  return isGrpcServiceError(error) && codes.includes(error.code);
}

/** Turns an unreachable cluster into a 503; rethrows everything else. */
export function rethrowUnreachable(error: unknown): never {
  throw hasCode(error, CODES.unavailable, CODES.deadlineExceeded)
    ? workflowErrors.temporal_unreachable({ cause: error })
    : error;
}
