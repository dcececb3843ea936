import type { temporal } from '@temporalio/proto';
import { keyIdOf, openPayload, sealPayload } from '../../../../packages/workflows/src/temporal/seal-payload.ts';
import { createKeyring, UnknownKey } from '../../payloads/seal.ts';

type Payload = temporal.api.common.v1.IPayload;

/** Encrypts payloads for Temporal with a key of the workspace, if the operator has configured keys. */
export type SealedValues = {
  seal(workspaceId: string, payload: Payload): Payload;
  open(workspaceId: string, payload: Payload): Payload;
  /** Decrypts all payloads of a message in place. */
  openIn<T extends object>(workspaceId: string, message: T): T;
  /** The keys for the workers of the workspace, newest first. */
  keysOf(workspaceId: string): { id: string; key: Buffer }[];
};

export function createSealedValues(masters: readonly Buffer[]): SealedValues {
  const keysOf = createKeyring(masters, 'temporal');

  function open(workspaceId: string, payload: Payload): Payload {
    const keyId = keyIdOf(payload);
    if (keyId === undefined) return payload;
    const found = keysOf(workspaceId).find(({ id }) => id === keyId);
    if (!found) throw new UnknownKey(keyId);
    return openPayload(payload, found.key);
  }

  return {
    seal(workspaceId, payload) {
      const [newest] = keysOf(workspaceId);
      return newest ? sealPayload(payload, newest) : payload;
    },
    open,
    openIn(workspaceId, message) {
      const pending: object[] = [message];
      for (let next = pending.pop(); next; next = pending.pop())
        for (const [key, value] of Object.entries(next)) {
          if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue;
          const opened = 'metadata' in value ? open(workspaceId, value) : value;
          if (opened === value) pending.push(value);
          else (next as Record<string, unknown>)[key] = opened;
        }
      return message;
    },
    keysOf,
  };
}
