import type { ConnectorResult, ResultPart } from './schema/connections.ts';
import type { ResultContent } from './schema/tools.ts';

/** A result in the form of the protocol, within our limits. */
export function toToolResult({ parts, structured, isError }: ConnectorResult): {
  content: ResultContent[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
} {
  return {
    content: parts.map(toContent),
    ...(isObject(structured) ? { structuredContent: structured } : {}),
    ...(isError ? { isError } : {}),
  };
}

function toContent(part: ResultPart): ResultContent {
  if (part.type === 'text') return part;
  if (part.type === 'link') {
    const { url: uri, title: name, description } = part;
    return { type: 'resource_link', uri, name, ...(description === undefined ? {} : { description }) };
  }
  const { name, mimetype: mimeType, bytes } = part;
  const data = Buffer.from(bytes).toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType, blob: data } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
