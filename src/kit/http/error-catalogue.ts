import { ApiError, type ErrorOptions, ValidationFailed, type ValidationItem } from './errors.ts';

/** One row of a room's error table; `docs/errors.md` is generated from all of them. */
export type ErrorEntry = {
  status: number;
  /** When the client gets this error; default: the message, where that is a fixed sentence. */
  when?: string;
  /** What the client can do about it. */
  fix: string;
  /** The sentence for the client. Left out where it depends on more than a few words: the thrower then passes it. */
  message?: string | ((...words: never[]) => string);
  /** Where the contract fixes the `type` or the `code` of the body. */
  type?: string;
  wireCode?: string | null;
  headers?: Record<string, string>;
  retryAfterSeconds?: number;
};

export type ThrowOptions = Pick<ErrorOptions, 'cause' | 'headers' | 'body'> & { retryAfterSeconds?: number };
type Place = (string | number)[];

type Factory<E extends ErrorEntry> = E extends { status: 422 }
  ? ((loc: Place, msg: string, input?: unknown, ctx?: Record<string, unknown>) => ValidationFailed) & {
      /** For a response that lists several mistakes at once. */
      item(loc: Place, msg: string, input?: unknown, ctx?: Record<string, unknown>): ValidationItem;
    }
  : E extends { message: (...words: infer W) => string }
    ? (...words: W) => ApiError
    : E extends { message: string }
      ? (options?: ThrowOptions) => ApiError
      : (message: string, options?: ThrowOptions) => ApiError;

type Described = { readonly code: string; readonly entry: ErrorEntry };
export type ErrorTable = Record<string, Described>;

/** Makes a function of each row that creates its error: `throw fileErrors.file_not_found(id)`. */
export function defineErrors<const T extends Record<string, ErrorEntry>>(
  entries: T,
): { readonly [Code in keyof T]: Factory<T[Code]> & Described } {
  const factories = Object.entries(entries).map(([code, entry]) => [
    code,
    Object.assign(entry.status === 422 ? createInvalid(code) : createRefusal(code, entry), { code, entry }),
  ]);
  return Object.fromEntries(factories);
}

/** The row of an object that is not there. An object of another tenant gets exactly the same words. */
export function missing(kind: string) {
  return {
    status: 404,
    when: `No ${kind} has this id, or the key's workspace may not see it.`,
    fix: 'Check the id, and that the key belongs to the right workspace.',
    message: (id: string) => `No ${kind} '${id}' was found. Check the id, and that the key belongs to its workspace.`,
  } as const;
}

function createRefusal(code: string, entry: ErrorEntry) {
  const { status, message, type, wireCode } = entry;
  const create = (text: string, options: ThrowOptions = {}): ApiError => {
    const { retryAfterSeconds = entry.retryAfterSeconds, headers, ...rest } = options;
    const retry = retryAfterSeconds && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) };
    return new ApiError(status, text, {
      ...rest,
      headers: { ...retry, ...entry.headers, ...headers },
      code,
      wireCode,
      type,
    });
  };
  if (message === undefined) return create;
  if (typeof message === 'string') return (options?: ThrowOptions) => create(message, options);
  return (...words: never[]) => create(message(...words));
}

function createInvalid(code: string) {
  const item = (loc: Place, msg: string, input?: unknown, ctx?: Record<string, unknown>): ValidationItem => ({
    type: code,
    loc,
    msg,
    ...(input !== undefined && { input }),
    ...(ctx && { ctx }),
  });
  return Object.assign((...words: Parameters<typeof item>) => new ValidationFailed([item(...words)]), { item });
}

/** What a stored error needs to be thrown again, by another process or after a restart. */
export type StoredError = { status: number; message: string; type: string; code: string; wireCode: string | null };

export function reviveError({ status, message, ...rest }: StoredError): ApiError {
  return new ApiError(status, message, rest);
}

/** `code`, status, when and fix of every row, as the rows of a Markdown table. */
export function renderErrorRows(table: ErrorTable): string {
  return Object.values(table)
    .map(({ code, entry }) => {
      const wire = entry.wireCode && entry.wireCode !== code ? `\`${code}\` (\`${entry.wireCode}\`)` : `\`${code}\``;
      const when = entry.when ?? (typeof entry.message === 'string' ? entry.message : '');
      return `| ${wire} | ${entry.status} | ${when} | ${entry.fix} |`;
    })
    .join('\n');
}
