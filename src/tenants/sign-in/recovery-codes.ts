import { hash, randomBytes } from 'node:crypto';
import { toBase32 } from './totp.ts';

const CODES = 10;
/** 80 random bits, so a plain hash cannot be searched. */
const CODE_BYTES = 10;

/** For a lost device; each works once. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () =>
    (toBase32(randomBytes(CODE_BYTES)).toLowerCase().match(/.{4}/g) ?? []).join('-'),
  );
}

/** People type them with spaces, without dashes, or in capitals. */
export function hashRecoveryCode(userId: string, code: string): string {
  return hash('sha256', `recovery:${userId}:${code.toLowerCase().replaceAll(/[\s-]/g, '')}`, 'hex');
}
