import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Makes bytes unreadable without the key of their workspace; `open` needs the name of the key that sealed them. */
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
 * Each workspace has a key of its own, made from the operator's and its id, so what one of them keeps cannot be passed
 * off as another's. The first key seals; the others only open what they sealed before.
 */
export function createSeal(masters: readonly Buffer[]): Seal | undefined {
  const [newest] = masters;
  if (!newest) return undefined;
  const byName = new Map(masters.map((master) => [nameOf(master), master]));
  const derived = new Map<string, Buffer>();

  function keyOf(master: Buffer, workspaceId: string): Buffer {
    const name = `${nameOf(master)}:${workspaceId}`;
    const known = derived.get(name);
    if (known) return known;
    const made = Buffer.from(hkdfSync('sha256', master, '', `tramontane workflows ${workspaceId}`, KEY_BYTES));
    derived.set(name, made);
    return made;
  }

  return {
    seal(workspaceId, plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyOf(newest, workspaceId), iv);
      const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return { key: nameOf(newest), sealed };
    },
    open(workspaceId, key, sealed) {
      const master = byName.get(key);
      if (!master) throw new UnknownKey(key);
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv(ALGORITHM, keyOf(master, workspaceId), bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    },
  };
}

/** Enough to tell keys apart, and nothing about them. */
function nameOf(master: Buffer): string {
  return createHash('sha256').update('name:').update(master).digest('hex').slice(0, 8);
}
