import type { Answered } from '../support/ask.ts';

/** What is wrong with the response to an invalid request; undefined when it is as expected. */
export function judgeRefusal({ status, text }: Answered, allowed: readonly number[]): string | undefined {
  if (!allowed.includes(status)) return `${status}, not one of ${allowed.join(', ')}: ${text.slice(0, 200)}`;
  return isErrorBody(text) ? undefined : `${status} without a body that says why: ${text.slice(0, 200)}`;
}

function isErrorBody(text: string): boolean {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    return 'detail' in body || body.object === 'error' || 'error' in body;
  } catch {
    return false;
  }
}
