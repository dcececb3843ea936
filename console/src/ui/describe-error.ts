import { ApiError } from '../api/api-error.ts';

export type DescribedError = { title: string; message: string; advice: string; requestId: string | undefined };

/** A title, the server's message, and advice for the user. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof ApiError)) {
    return {
      title: 'Unexpected error',
      message: error instanceof Error ? error.message : String(error),
      advice: 'Reload the page. If it happens again, report this message.',
      requestId: undefined,
    };
  }
  const { title, advice } = words(error);
  return { title, message: error.message, advice, requestId: error.requestId };
}

function words({ status, retryAfterSeconds }: ApiError): { title: string; advice: string } {
  if (status === 0) {
    return {
      title: 'No connection',
      advice: 'Check that the server is running and reachable, then try again.',
    };
  }
  if (status === 401) return { title: 'You are signed out', advice: 'Sign in again.' };
  if (status === 403) {
    return { title: 'Not allowed', advice: 'Ask an administrator of your organization for the required role.' };
  }
  if (status === 404) {
    return {
      title: 'Not found',
      advice: 'It may have been deleted, or it belongs to another workspace.',
    };
  }
  if (status === 409) return { title: 'Conflict', advice: 'Reload the page to see the current state.' };
  if (status === 422 || status === 400)
    return { title: 'Invalid request', advice: 'Fix the named values and try again.' };
  if (status === 429) {
    const wait = retryAfterSeconds ? `Try again in ${retryAfterSeconds} seconds.` : 'Try again later.';
    return { title: 'Too many requests', advice: wait };
  }
  if (status === 501) return { title: 'Not available', advice: 'This feature is not set up on this server.' };
  if (status === 502 || status === 504)
    return {
      title: 'Another server failed',
      advice: 'Check its address, and whether it runs and may be reached from here. Then try again.',
    };
  return {
    title: 'Server error',
    advice: 'Try again. If it happens again, look up the request ID in the server log.',
  };
}
