import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring } from './keyring.ts';

const FORM = 's1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets for the database with AES-256-GCM. `place` says which row a secret belongs to: copied into another
 * row it does not open.
 */
export type SecretBox = {
  seal(text: string, place: string): string;
  /** Undefined where its key is lost, or where it was changed. */
  open(sealed: string, place: string): string | undefined;
  /** Whether the newest key encrypted it. */
  isCurrent(sealed: string): boolean;
};

export function createSecretBox(keyring: Keyring): SecretBox {
  return {
    seal(text, place) {
      const { id, bytes } = keyring.current();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(place));
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `${FORM}.${id}.${Buffer.concat(parts).toString('base64url')}`;
    },
    open(sealed, place) {
      try {
        const [form, id = '', text = ''] = sealed.split('.');
        const key = form === FORM ? keyring.find(id) : undefined;
        if (!key) return undefined;
        const bytes = Buffer.from(text, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES))
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        const content = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
        return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
      } catch {
        // A key file that cannot be read loses the secrets, not the server.
        return undefined;
      }
    },
    isCurrent(sealed) {
      return sealed.split('.')[1] === keyring.current().id;
    },
  };
}
