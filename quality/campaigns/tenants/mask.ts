import type { Answer } from '../serve/ask.ts';

/** Headers that differ between any two responses. */
const CHANGING = new Set(['content-length', 'date', 'x-request-id', 'mistral-correlation-id', 'etag']);
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const HEX_ID = /[0-9a-f]{32}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g;
const LARGE_NUMBER = /\b\d{10,}\b/g;

/** A response without what must differ: the named id, new ids and times. */
export function maskAnswer(answer: Answer, named: string): string {
  return `${maskHead(answer)}\ncontent-length: ${answer.headers['content-length']}\n${mask(answer.text, named)}`;
}

/** Status and headers alone, for responses about two different objects. */
export function maskHead({ status, headers }: Answer): string {
  const kept = Object.entries(headers)
    .filter(([name]) => !CHANGING.has(name))
    .map(([name, value]) => `${name}: ${name.startsWith('x-ratelimit') ? 'N' : value}`)
    .sort();
  return [status, ...kept].join('\n');
}

function mask(text: string, named: string): string {
  // Responses about a prompt contain its name without the prefix.
  const bare = named.replace(/^prompt:/, '');
  return text
    .replaceAll(named, 'NAMED')
    .replaceAll(bare, 'NAMED')
    .replaceAll(TIME, 'TIME')
    .replaceAll(UUID, 'ID')
    .replaceAll(HEX_ID, 'ID')
    .replaceAll(LARGE_NUMBER, 'N');
}
