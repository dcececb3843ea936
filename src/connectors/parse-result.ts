import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { clean, cleanJson, cutText } from './clean-text.ts';
import type { ConnectorResult, ResultPart } from './schema/connections.ts';

const PARTS_MAX = 64;
const FILES_MAX = 8;
const LINK_CHARACTERS_MAX = 2048;
const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'application/pdf': 'pdf',
  'text/csv': 'csv',
};

/** The text of a result up to the limit; its images, sounds and other bytes as files. */
export function parseResult(result: CallToolResult, charactersMax: number): ConnectorResult {
  const parts: ResultPart[] = [];
  let left = charactersMax;
  let files = 0;
  const addText = (given: string) => {
    const text = clean(given);
    if (left > 0) parts.push({ type: 'text', text: cutText(text, left) });
    left -= text.length;
  };
  for (const block of (result.content ?? []).slice(0, PARTS_MAX)) {
    const file = fileOf(block, files);
    if (file && files++ < FILES_MAX) parts.push(file);
    else if (file) addText('[a file that was not kept]');
    else if (block.type === 'resource_link') addLink(block);
    else addText(textOf(block));
  }
  if ((result.content?.length ?? 0) > PARTS_MAX) addText(`[${(result.content?.length ?? 0) - PARTS_MAX} more parts]`);
  const { structuredContent } = result;
  const structured = structuredContent === undefined ? '' : cleanJson(structuredContent);
  // The model gets it as text only when there is nothing else.
  if (structured !== '' && parts.length === 0) addText(structured);
  const isKept = structured !== '' && structured.length <= charactersMax;
  return {
    parts,
    ...(isKept ? { structured: JSON.parse(structured) as unknown } : {}),
    isError: result.isError === true,
  };

  function addLink({ uri, name, title, description }: Extract<ContentBlock, { type: 'resource_link' }>) {
    const isWeb = /^https?:\/\//i.test(uri) && uri.length <= LINK_CHARACTERS_MAX;
    if (!isWeb) return addText(`[${title ?? name}: ${uri}]`);
    const about = description === undefined ? {} : { description: cutText(clean(description), LINK_CHARACTERS_MAX) };
    parts.push({ type: 'link', url: clean(uri), title: cutText(clean(title ?? name), LINK_CHARACTERS_MAX), ...about });
  }
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource' && 'text' in block.resource) return block.resource.text;
  return `[a part of type ${block.type}]`;
}

function fileOf(block: ContentBlock, index: number): ResultPart | undefined {
  if (block.type === 'image' || block.type === 'audio')
    return toFile(`${block.type}_${index}`, block.mimeType, block.data);
  if (block.type === 'resource' && 'blob' in block.resource)
    return toFile(`file_${index}`, block.resource.mimeType ?? 'application/octet-stream', block.resource.blob);
  return undefined;
}

function toFile(name: string, type: string, base64: string): ResultPart {
  const mimetype = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
  const bytes = Buffer.from(base64, 'base64');
  return { type: 'file', name: `${name}.${EXTENSIONS[mimetype] ?? 'bin'}`, mimetype, bytes };
}
