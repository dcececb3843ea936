import {
  DEFAULT_JSON_LIMITS,
  parseJson,
  type RawReply,
  type RequestContext,
  raw,
  ValidationFailed,
} from '../../kit/http/index.ts';
import { mcpErrors } from '../errors.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** Tighter than the default, because the protocol library parses a message several times; a skill with all its files fits. */
const MESSAGE_LIMITS = { ...DEFAULT_JSON_LIMITS, keysMax: 20_000, objectKeysMax: 2000, valuesMax: 100_000 };

/** The message of a POST, or the refusal of a body that has none. */
export function parseMessage({ headers, body }: RequestContext): { message: unknown } | { refusal: RawReply } {
  if (!accepts(headers.accept, 'application/json') || !accepts(headers.accept, 'text/event-stream')) {
    throw mcpErrors.mcp_accept_required();
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

/** For a response without a pending request: its tool call has ended, or belongs to another caller. */
export function refuseResponse(): RawReply {
  return rpcRefusal(INVALID_REQUEST, 'No request with this id is waiting for a response.');
}

function rpcRefusal(code: number, message: string): RawReply {
  return raw(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }), 'application/json', {}, 400);
}

function accepts(header: string | undefined, type: string): boolean {
  return (header ?? '').split(',').some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === type);
}
