export type ErrorOptions = {
  type?: string | undefined;
  /** The stable code of the catalogue. */
  code?: string | null;
  /** What the body shows as `code`, where the contract fixes another one. */
  wireCode?: string | null | undefined;
  cause?: unknown;
  headers?: Record<string, string>;
  /** A body that replaces the family's shape, where the contract asks for one. */
  body?: unknown;
};

/**
 * The one error that services throw. `message` is for the client and says what to do next; `cause` is for
 * the log. Everything else that reaches the error handler is a 500 with the request id and nothing more.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly wireCode: string | null;
  readonly headers: Record<string, string>;
  readonly body: unknown;

  constructor(status: number, message: string, options: ErrorOptions = {}) {
    const stackLimit = Error.stackTraceLimit;
    // Client errors are never logged with a stack, and a stack costs more than the rest of the error.
    if (status < 500) Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackLimit;
    this.status = status;
    this.type = options.type ?? typeOf(status);
    this.code = options.code ?? null;
    this.wireCode = options.wireCode === undefined ? this.code : options.wireCode;
    this.headers = options.headers ?? {};
    this.body = options.body;
  }
}

/** One item of a 422, in pydantic's form, which both official SDKs parse. */
export type ValidationItem = {
  type: string;
  loc: (string | number)[];
  msg: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
};

export class ValidationFailed extends Error {
  readonly items: ValidationItem[];
  /** Fields of the body beside `detail`. */
  readonly extra: Record<string, unknown>;

  constructor(items: ValidationItem[], extra: Record<string, unknown> = {}) {
    const stackLimit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super('The request is not valid.');
    Error.stackTraceLimit = stackLimit;
    this.items = items;
    this.extra = extra;
  }
}

function typeOf(status: number): string {
  switch (status) {
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 409:
    case 412:
      return 'conflict_error';
    case 429:
      return 'rate_limited';
    default:
      return status >= 500 ? 'server_error' : 'invalid_request_error';
  }
}
