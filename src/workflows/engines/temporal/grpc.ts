import { isGrpcServiceError } from '@temporalio/client';
import { workflowErrors } from '../../errors.ts';

/** The status codes of gRPC that mean something to us. */
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

/** A cluster that is away is told to clients as such, and not as a fault of ours. */
export function explain(error: unknown): never {
  throw hasCode(error, CODES.unavailable, CODES.deadlineExceeded)
    ? workflowErrors.temporal_unreachable({ cause: error })
    : error;
}
