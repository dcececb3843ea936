import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Capture, prepareCapture } from '../kit/capture/index.ts';
import { isPath, readPath } from './read-path.ts';
import type { WebhookSettings } from './schema/webhooks.ts';

const HEADER_CHARACTERS_MAX = 1024;
const CAPTURES_KEPT = 1000;
const PLACEHOLDER = /\{(body|timestamp|headers\.[A-Za-z0-9_-]+)\}/;
/** Numbers with more digits are milliseconds. */
const SECONDS_DIGITS_MAX = 11;
const STANDARD_PREFIX = 'whsec_';

export type SignedDelivery = { headers: IncomingHttpHeaders; bytes: Uint8Array };
/** The digest is the same for the same signed content, and for no other. */
export type Checked = { digest: string; timestamp: string | undefined } | { refused: string };

/** Whether the timestamp is a path, and not a pattern for the header of the signature. */
export function namesPath(timestamp: string | null): timestamp is string {
  return timestamp !== null && /^(?:headers|body)\./.test(timestamp) && isPath(timestamp);
}

/** Checks the signature of a delivery over its bytes, in constant time. */
export function checkSignature(settings: WebhookSettings, secret: string, delivery: SignedDelivery): Checked {
  const { signature_header_name: name, signature_hash_algorithm: algorithm } = settings;
  const header = readHeader(delivery.headers, name ?? '');
  if (header === undefined || algorithm === null) return { refused: `The header ${name} is missing.` };
  const signature = capture(settings.signature_extractor_regex, header);
  if (signature === null) return { refused: `The header ${name} has no signature.` };
  const timestamp = readTimestamp(settings, header, delivery.headers);
  const mac = createHmac(algorithm, keyOf(secret));
  for (const [at, part] of (settings.signature_payload_pattern ?? '{body}').split(PLACEHOLDER).entries())
    mac.update(at % 2 === 0 ? part : partOf(part, delivery, timestamp));
  const expected = mac.digest();
  const given = Buffer.from(signature.trim(), settings.signature_encoding ?? 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { refused: 'The signature is not the one that the secret makes of this delivery.' };
  return { digest: createHash('sha256').update(expected).digest('hex'), timestamp };
}

function partOf(part: string, { headers, bytes }: SignedDelivery, timestamp = ''): string | Uint8Array {
  if (part === 'body') return bytes;
  return part === 'timestamp' ? timestamp : (readHeader(headers, part.slice('headers.'.length)) ?? '');
}

/** Why a timestamp is not accepted; undefined when it is. */
export function refuseTimestamp(
  timestamp: string | undefined,
  validSeconds: number,
  nowMs: number,
): string | undefined {
  const atMs = timestamp === undefined ? Number.NaN : toMilliseconds(timestamp);
  if (Number.isNaN(atMs)) return 'The timestamp is missing or cannot be read.';
  if (Math.abs(nowMs - atMs) <= validSeconds * 1000) return undefined;
  return `The timestamp is more than ${validSeconds} seconds away from now.`;
}

function toMilliseconds(timestamp: string): number {
  if (!/^\d{1,16}$/.test(timestamp)) return Date.parse(timestamp);
  return Number(timestamp) * (timestamp.length > SECONDS_DIGITS_MAX ? 1 : 1000);
}

function readTimestamp(settings: WebhookSettings, header: string, headers: IncomingHttpHeaders): string | undefined {
  const { timestamp_extractor_regex: source } = settings;
  if (source === null) return undefined;
  // One in the body is read once the signature is known to be right.
  if (namesPath(source)) return readPath(source, { headers, body: undefined });
  return capture(source, header) ?? undefined;
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value.length <= HEADER_CHARACTERS_MAX ? value : undefined;
}

/** Secrets of the Standard Webhooks kind are bytes in base64. */
function keyOf(secret: string): string | Buffer {
  return secret.startsWith(STANDARD_PREFIX) ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64') : secret;
}

const captures = new Map<string, Capture>();

function capture(source: string | null, text: string): string | null {
  return source === null ? text : (findCapture(source)?.(text) ?? null);
}

/** Patterns that were read, the latest ones. */
function findCapture(source: string): Capture | undefined {
  const known = captures.get(source);
  if (known) return known;
  const prepared = prepareCapture(source);
  if (!prepared) return undefined;
  if (captures.size >= CAPTURES_KEPT) captures.clear();
  captures.set(source, prepared);
  return prepared;
}
