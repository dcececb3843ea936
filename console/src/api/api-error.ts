import { inWords } from './problem-words.ts';

/** The path of an invalid field and its message. */
export type FieldProblem = { field: string; message: string };

/** A rejected or failed request, with the server's message and the request ID. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly detail: unknown;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The code of the catalogue, where the response has it. */
  readonly code: string | undefined;

  constructor(
    status: number,
    message: string,
    rest: { detail?: unknown; requestId?: string; retryAfter?: number; code?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.detail = rest.detail;
    this.requestId = rest.requestId;
    this.retryAfterSeconds = rest.retryAfter;
    this.code = rest.code;
  }

  /** The same error with some of its problems, where others are shown elsewhere. */
  only(problems: readonly FieldProblem[]): ApiError {
    const rest = {
      ...(this.requestId === undefined ? {} : { requestId: this.requestId }),
      ...(this.retryAfterSeconds === undefined ? {} : { retryAfter: this.retryAfterSeconds }),
      ...(this.code === undefined ? {} : { code: this.code }),
    };
    return new ApiError(this.status, listProblems(problems), { ...rest, detail: [] });
  }

  /** Messages of a 422 by field, for a form to show beside its inputs. */
  get problems(): FieldProblem[] {
    return problemsOf(this.detail);
  }

  /** What is wrong with one field, in words. */
  problemOf(field: string): string | undefined {
    return this.problems.find((problem) => problem.field === field)?.message;
  }
}

/** Parses an error response in any of the API's error shapes. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text();
  const body = parse(text);
  const requestId = response.headers.get('x-request-id');
  const retryAfter = Number(response.headers.get('retry-after'));
  const detail = body?.errors ?? body?.detail ?? body?.message ?? body?.error;
  return new ApiError(response.status, messageOf(response, body), {
    detail,
    ...(requestId ? { requestId } : {}),
    ...(retryAfter > 0 ? { retryAfter } : {}),
    ...(typeof body?.code === 'string' ? { code: body.code } : {}),
  });
}

type ErrorBody = { code?: unknown; errors?: unknown; detail?: unknown; message?: unknown; error?: unknown };

function parse(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(response: Response, body: ErrorBody | undefined): string {
  for (const said of [body?.message, body?.detail, body?.error]) {
    if (typeof said === 'string' && said !== '') return said;
    const nested = (said as { message?: unknown } | undefined)?.message;
    if (typeof nested === 'string') return nested;
    const problems = problemsOf(said);
    if (problems.length > 0) return listProblems(problems);
  }
  return `The server responded with ${response.status} ${response.statusText}`.trim();
}

/** One line each, under the name of the field and not its path. */
function listProblems(problems: readonly FieldProblem[]): string {
  return problems.map(({ field, message }) => `${nameField(field)}: ${message}`).join('\n');
}

function nameField(path: string): string {
  const name = path.split('.').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? 'request';
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function problemsOf(said: unknown): FieldProblem[] {
  const list = Array.isArray(said) ? said : ((said as { detail?: unknown } | undefined)?.detail ?? []);
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: { loc?: unknown; msg?: unknown }) => {
    if (typeof entry?.msg !== 'string') return [];
    const path = Array.isArray(entry.loc) ? entry.loc.filter((part, at) => !(at === 0 && part === 'body')) : [];
    return [{ field: path.join('.') || 'request', message: inWords(entry.msg) }];
  });
}
