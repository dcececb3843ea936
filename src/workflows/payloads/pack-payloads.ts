import type { Json } from '../../../packages/workflows/src/protocol.ts';
import type { Blobs } from '../../kit/blobs/index.ts';
import { PAYLOAD_BYTES_MAX } from './limits.ts';
import { type Payloads, PayloadTooLarge } from './port.ts';
import type { Seal } from './seal.ts';

/** Larger JSON texts are stored in a blob. */
export const INLINE_BYTES_MAX = 256 * 1024;

/** Marks a packed value; client values that contain this key are wrapped. */
const MARK = '$payload';

type Packed =
  | { [MARK]: 'plain'; value: Json }
  | { [MARK]: 'sealed'; key: string; data: string }
  | { [MARK]: 'blob'; sha256: string; bytes: number; key?: string };

export class PayloadLost extends Error {
  constructor(sha256: string) {
    super(`The content ${sha256} of a payload is missing from the directory of blobs.`);
  }
}

export function createPayloads(options: {
  blobs: Blobs;
  seal: Seal | undefined;
  /** Called before the blob is used, so that it is not garbage-collected. */
  refer: (workspaceId: string, sha256: string, bytes: number) => Promise<void>;
}): Payloads {
  const { blobs, seal, refer } = options;

  async function keepApart(workspaceId: string, text: Buffer): Promise<Json> {
    if (text.length > PAYLOAD_BYTES_MAX) throw new PayloadTooLarge(text.length, PAYLOAD_BYTES_MAX);
    const made = seal?.seal(workspaceId, text);
    const { sha256, bytes } = await blobs.put(made?.sealed ?? text);
    await refer(workspaceId, sha256, bytes);
    return { [MARK]: 'blob', sha256, bytes, ...(made ? { key: made.key } : {}) };
  }

  async function readApart(workspaceId: string, { sha256, key }: Extract<Packed, { sha256: string }>): Promise<Json> {
    const content = await blobs.read(sha256);
    if (!content) throw new PayloadLost(sha256);
    return parse(open(workspaceId, key, content));
  }

  function open(workspaceId: string, key: string | undefined, content: Uint8Array): Uint8Array {
    if (key === undefined) return content;
    if (!seal) throw new Error('A payload is sealed, and workflows.encryption_keys names no key.');
    return seal.open(workspaceId, key, content);
  }

  return {
    pack(workspaceId, value) {
      if (!seal && isSmall(value)) return isMarked(value) ? { [MARK]: 'plain', value } : value;
      const text = Buffer.from(JSON.stringify(value));
      if (text.length > INLINE_BYTES_MAX) return keepApart(workspaceId, text);
      if (!seal) return isMarked(value) ? { [MARK]: 'plain', value } : value;
      const { key, sealed } = seal.seal(workspaceId, text);
      return { [MARK]: 'sealed', key, data: sealed.toString('base64') };
    },
    unpack(workspaceId, packed) {
      if (!isMarked(packed)) return packed;
      const marked = packed as Packed;
      switch (marked[MARK]) {
        case 'plain':
          return marked.value;
        case 'sealed':
          return parse(open(workspaceId, marked.key, Buffer.from(marked.data, 'base64')));
        case 'blob':
          return readApart(workspaceId, marked);
      }
    },
  };
}

/** The blob that a packed value refers to, if any. */
export function contentOf(packed: Json): string | undefined {
  return isMarked(packed) && (packed as Packed)[MARK] === 'blob'
    ? (packed as Extract<Packed, { sha256: string }>).sha256
    : undefined;
}

/** Texts up to this length are inline whatever their JSON encoding. */
const CHARACTERS_CERTAINLY_SMALL = INLINE_BYTES_MAX / 8;

/** Detects small values, the common case, without serializing them. */
function isSmall(value: Json): boolean {
  let left = CHARACTERS_CERTAINLY_SMALL;
  const pending = [value];
  for (let next = pending.pop(); next !== undefined && left > 0; next = pending.pop()) {
    left -= 8;
    if (typeof next === 'string') left -= next.length;
    else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (typeof next === 'object' && next !== null)
      for (const key in next) {
        left -= key.length;
        pending.push(next[key] as Json);
      }
  }
  return left > 0;
}

function isMarked(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, MARK);
}

function parse(text: Uint8Array): Json {
  return JSON.parse(Buffer.from(text).toString()) as Json;
}
