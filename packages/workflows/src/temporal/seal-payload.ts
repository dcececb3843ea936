import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A Temporal payload. */
export type Payload = { metadata?: Record<string, Uint8Array> | null; data?: Uint8Array | null };

/** A key of the workspace; the id does not reveal it. */
export type PayloadKey = { id: string; key: Uint8Array };

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The conventional names of encrypting codecs. */
const SEALED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
/** Holds the original encoding; other metadata stay unchanged. */
const ENCODING = 'sealed-encoding';

/** The id of the key of an encrypted payload; undefined for others. */
export function keyIdOf({ metadata }: Payload): string | undefined {
  return textOf(metadata?.encoding) === SEALED ? textOf(metadata?.[KEY_ID]) : undefined;
}

/** Encrypts a payload. */
export function sealPayload(payload: Payload, { id, key }: PayloadKey): Payload {
  const iv = randomBytes(IV_BYTES);
  const encoding = payload.metadata?.encoding ?? new Uint8Array();
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(encoding);
  const data = Buffer.concat([
    iv,
    cipher.update(payload.data ?? new Uint8Array()),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const said = { encoding: Buffer.from(SEALED), [KEY_ID]: Buffer.from(id), [ENCODING]: encoding };
  return { metadata: { ...payload.metadata, ...said }, data };
}

/** Decrypts a payload; throws if the key is wrong or the payload was changed. */
export function openPayload(payload: Payload, key: Uint8Array): Payload {
  const { [KEY_ID]: _id, [ENCODING]: encoding = new Uint8Array(), ...metadata } = payload.metadata ?? {};
  const sealed = Buffer.from(payload.data ?? []);
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES)).setAAD(encoding);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const data = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  return { ...payload, metadata: { ...metadata, encoding }, data };
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes ? Buffer.from(bytes).toString() : '';
}
