import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from './hash-entry.ts';
import type { CheckpointRow } from './store.ts';

/** Signs all fields, so that none can be changed alone. */
export function signCheckpoint(secret: string, checkpoint: Omit<CheckpointRow, 'signature'>): string {
  const { organization_id, log_id, hash, created_at } = checkpoint;
  const text = canonicalJson({ organization_id, log_id, hash, created_at });
  return createHmac('sha256', secret).update(`audit-checkpoint:${text}`).digest('hex');
}

export function isSignedCheckpoint(secret: string, checkpoint: CheckpointRow): boolean {
  const expected = Buffer.from(signCheckpoint(secret, checkpoint));
  const given = Buffer.from(checkpoint.signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
