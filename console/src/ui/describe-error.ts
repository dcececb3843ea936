import { ApiError } from '../api/api-error.ts';

export type DescribedError = { title: string; message: string; advice: string; requestId: string | undefined };

/** What happened, in the server's words, and what somebody in front of the console can do about it. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof ApiError)) {
    return {
      title: 'The console made a mistake',
      message: error instanceof Error ? error.message : String(error),
      advice: 'Load the page again. If it happens again, report it with these words.',
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
      advice: 'Check that the server runs and that this machine reaches it, then try again.',
    };
  }
  if (status === 401) return { title: 'You are signed out', advice: 'Sign in again.' };
  if (status === 403) {
    return { title: 'Not allowed', advice: 'Ask an administrator of your organization for a role that may do this.' };
  }
  if (status === 404) {
    return {
      title: 'Not found',
      advice: 'It may have been removed, or it belongs to another workspace: choose it at the left.',
    };
  }
  if (status === 409) return { title: 'Not possible now', advice: 'Load the page again to see its present state.' };
  if (status === 422 || status === 400)
    return { title: 'Not accepted', advice: 'Change what is named and send it again.' };
  if (status === 429) {
    const wait = retryAfterSeconds ? `Try again in ${retryAfterSeconds} seconds.` : 'Try again in a while.';
    return { title: 'Too many requests', advice: wait };
  }
  if (status === 501) return { title: 'Not offered here', advice: 'This server was not set up for it.' };
  return {
    title: 'The server failed',
    advice: 'Try again. If it happens again, the log of the server has the reason under the id of the request.',
  };
}
