import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Encrypts bytes with a key of their workspace; `open` needs the id of that key. */
export type Seal = {
  seal(workspaceId: string, plain: Uint8Array): { key: string; sealed: Buffer };
  open(workspaceId: string, key: string, sealed: Uint8Array): Buffer;
};

export class UnknownKey extends Error {
  constructor(key: string) {
    super(`A payload was sealed with the key ${key}, which is not among workflows.encryption_keys.`);
  }
}

/**
 * Derives one key per workspace and purpose from each of the operator's keys, so ciphertext of one workspace is useless
 * in another. The first key encrypts; the others only decrypt.
 */
export function createKeyring(masters: readonly Buffer[], purpose: 'workflows' | 'temporal') {
  const derived = new Map<string, { id: string; key: Buffer }[]>();
  return (workspaceId: string): { id: string; key: Buffer }[] => {
    const known = derived.get(workspaceId);
    if (known) return known;
    const made = masters.map((master) => ({
      id: nameOf(master),
      key: Buffer.from(hkdfSync('sha256', master, '', `tramontane ${purpose} ${workspaceId}`, KEY_BYTES)),
    }));
    derived.set(workspaceId, made);
    return made;
  };
}

export function createSeal(masters: readonly Buffer[]): Seal | undefined {
  if (masters.length === 0) return undefined;
  const keysOf = createKeyring(masters, 'workflows');
  return {
    seal(workspaceId, plain) {
      const [newest] = keysOf(workspaceId) as [{ id: string; key: Buffer }];
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, newest.key, iv);
      const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return { key: newest.id, sealed };
    },
    open(workspaceId, key, sealed) {
      const found = keysOf(workspaceId).find(({ id }) => id === key);
      if (!found) throw new UnknownKey(key);
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv(ALGORITHM, found.key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    },
  };
}

/** Identifies a key without revealing it. */
function nameOf(master: Buffer): string {
  return createHash('sha256').update('name:').update(master).digest('hex').slice(0, 8);
}
