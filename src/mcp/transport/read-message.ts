import {
  ApiError,
  DEFAULT_JSON_LIMITS,
  parseJson,
  type RawReply,
  type RequestContext,
  raw,
  ValidationFailed,
} from '../../kit/http/index.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** The protocol's library reads a message several times over, and a skill has no more files than that. */
const MESSAGE_LIMITS = { ...DEFAULT_JSON_LIMITS, keysMax: 20_000, objectKeysMax: 2000, valuesMax: 100_000 };

/** The message of a POST, or the answer to one that has none. */
export function readMessage({ headers, body }: RequestContext): { message: unknown } | { refusal: RawReply } {
  if (!accepts(headers.accept, 'application/json') || !accepts(headers.accept, 'text/event-stream')) {
    throw new ApiError(406, 'Send "Accept: application/json, text/event-stream": a reply may come as either.');
  }
  if (body === undefined) return { refusal: rpcRefusal(PARSE_ERROR, 'Parse error: the body is empty') };
  try {
    return { message: parseJson(body as Uint8Array, MESSAGE_LIMITS) };
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    const [item] = error.items;
    const detail = item?.ctx?.error;
    const reason = [item?.msg, typeof detail === 'string' ? detail : undefined].filter(Boolean).join(': ');
    return { refusal: rpcRefusal(PARSE_ERROR, `Parse error: ${reason}`) };
  }
}

/** Nobody waits for this answer: the call that asked is over, or was never this caller's. */
export function refuseAnswer(): RawReply {
  return rpcRefusal(INVALID_REQUEST, 'No request with this id waits for an answer.');
}

function rpcRefusal(code: number, message: string): RawReply {
  return raw(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }), 'application/json', {}, 400);
}

function accepts(header: string | undefined, type: string): boolean {
  return (header ?? '').split(',').some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === type);
}
