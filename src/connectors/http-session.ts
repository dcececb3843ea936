import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { createSecretHider } from '../kit/base/hide-secrets.ts';
import { OutboundTooLarge } from '../kit/outbound/index.ts';
import { credentialsIn } from './authorize.ts';
import { connectorErrors } from './errors.ts';
import { TokenRefused } from './explain-failure.ts';
import type { Session } from './open-session.ts';
import { type Operation, readOpenApi } from './read-openapi.ts';
import type { Target } from './targets.ts';

type Options = { headers: Headers; timeoutMs: number; bytesMax: number };

/** An HTTP API whose operations are tools: nothing is asked for the list, and each call is one request. */
export async function openHttpSession(target: Target, options: Options): Promise<Session> {
  const document = target.row?.openapi?.document;
  const operations = document ? readOpenApi(document) : [];
  const hide = createSecretHider(credentialsIn(target.config.url, options.headers));
  return {
    era: undefined,
    server: undefined,
    protocolVersion: undefined,
    listTools: async () => ({ tools: operations.map(toTool) }),
    async callTool({ name }, given, signal) {
      const operation = operations.find((one) => one.name === name);
      if (!operation) throw connectorErrors.connector_tool_not_found(target.config.id, name);
      return hide.value(await send(target, operation, given, { ...options, signal }));
    },
    isUsable: () => true,
    renew: () => undefined,
    close: async () => undefined,
  };
}

function toTool({ name, title, description, inputSchema, isReadOnly }: Operation): Tool {
  return {
    name,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    annotations: { readOnlyHint: isReadOnly },
    ...(title === undefined ? {} : { title }),
  };
}

async function send(
  { config, outbound }: Target,
  { method, path, parameters, body: type }: Operation,
  given: Record<string, unknown>,
  { headers, timeoutMs, bytesMax, signal }: Options & { signal: AbortSignal },
): Promise<CallToolResult> {
  const url = new URL(config.url);
  url.pathname = url.pathname.replace(/\/$/, '') + fillPath(path, given, config.id);
  const sent = Object.fromEntries(headers);
  for (const { name, place } of parameters) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    if (place === 'query') for (const one of [value].flat()) url.searchParams.append(name, textOf(one));
    // Credentials win over what a model asks for.
    if (place === 'header' && !headers.has(name)) sent[name.toLowerCase()] = textOf(value).replace(/[^\x20-\x7e]/g, '');
  }
  const hasBody = type !== undefined && given.body !== undefined;
  const response = await outbound.fetch(url, {
    method,
    headers: { accept: 'application/json, */*;q=0.5', ...sent, ...(hasBody ? { 'content-type': type } : {}) },
    body: hasBody ? JSON.stringify(given.body) : undefined,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    redirect: 'manual',
  });
  if (response.status === 401) {
    response.discard();
    throw new TokenRefused(`The API of the connector '${config.id}' answered 401.`);
  }
  const chunks: Uint8Array[] = [];
  let left = bytesMax;
  for await (const chunk of response.body) {
    left -= chunk.length;
    if (left < 0) throw new OutboundTooLarge('The response is too long.');
    chunks.push(chunk);
  }
  return toResult(response.status, response.headers['content-type'] ?? '', Buffer.concat(chunks));
}

function fillPath(path: string, given: Record<string, unknown>, id: string): string {
  return path.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const text = textOf(given[name] ?? '');
    // An address must not leave its place: these two are steps in a path, encoded or not.
    if (text === '' || text === '.' || text === '..')
      throw connectorErrors.connector_request_invalid(`The connector '${id}' needs a proper value for '${name}'.`);
    return encodeURIComponent(text);
  });
}

function toResult(status: number, type: string, bytes: Buffer): CallToolResult {
  const isError = status >= 300;
  const media = type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (/^(image|audio)\//.test(media) && !isError) {
    const kind = media.startsWith('image/') ? 'image' : 'audio';
    return { content: [{ type: kind, data: bytes.toString('base64'), mimeType: media }] };
  }
  const text = bytes.toString('utf8');
  const value = /json$/.test(media) ? parseJson(text) : undefined;
  const structured = typeof value === 'object' && value !== null && !Array.isArray(value);
  return {
    content: [{ type: 'text', text: isError ? `The API answered ${status}. ${text}` : text || `Done (${status}).` }],
    ...(structured && !isError ? { structuredContent: value as Record<string, unknown> } : {}),
    ...(isError ? { isError } : {}),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
