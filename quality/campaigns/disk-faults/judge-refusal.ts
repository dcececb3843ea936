import type { Answer } from '../platform/ask.ts';

/** Below this path the contract fixes one sentence; the status and the header say the rest. */
const FIXED_WORDS = '/v1/workflows';

/** Why a response is not the one expected from a server that cannot write; undefined when it is. */
export function judgeRefusal(path: string, answer: Answer | undefined): string | undefined {
  if (!answer) return `${path}: no answer`;
  const { status, headers, body, text } = answer;
  const said = `${path}: ${status} ${text.slice(0, 300)}`;
  if (status !== 503 && status !== 507) return said;
  if (!(Number(headers['retry-after']) > 0)) return `${said} without Retry-After`;
  const { message, detail } = (body ?? {}) as { message?: unknown; detail?: unknown };
  const words = String(message ?? detail ?? '');
  if (path.startsWith(FIXED_WORDS)) return words === 'An error occurred' ? undefined : said;
  return /operator|Look for it|moment/.test(words) ? undefined : `${said} does not say what to do`;
}
