import { isJsonContentType, type RequestId, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { RequestContext } from '../../kit/http/index.ts';

const FIELDS = new Set(['jsonrpc', 'id', 'method', 'params']);
const VERSION_HEADER = 'mcp-protocol-version';
/** The revisions before the one that describes each request in its parameters. */
const VERSIONS = new Set(SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < '2026'));

/**
 * The id of a request for a whole list in a revision of 2025, without anything that the library would have to judge; else
 * undefined. Clients send it on every turn, and for it alone the library's objects would cost most of the time.
 */
export function readPlainList(method: string, { headers }: Pick<RequestContext, 'headers'>, message: unknown) {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  const given = message as { jsonrpc?: unknown; id?: RequestId; method?: unknown; params?: unknown };
  if (given.method !== method || given.jsonrpc !== '2.0' || !isEmpty(given.params)) return undefined;
  if (typeof given.id !== 'string' && !Number.isSafeInteger(given.id)) return undefined;
  if (!Object.keys(given).every((field) => FIELDS.has(field))) return undefined;
  if (!isJsonContentType(headers['content-type'] ?? null)) return undefined;
  for (const name in headers)
    if (name.startsWith('mcp-') && !(name === VERSION_HEADER && VERSIONS.has(String(headers[name])))) return undefined;
  return given.id;
}

function isEmpty(params: unknown): boolean {
  if (params === undefined) return true;
  return typeof params === 'object' && params !== null && !Array.isArray(params) && Object.keys(params).length === 0;
}
