import type { Json } from '../../../packages/workflows/src/protocol.ts';

/**
 * Packed payloads are JSON; large ones are references to blobs, and with a key all are encrypted. `pack` runs before a
 * transaction, `unpack` before a response. Small, unencrypted payloads pass through unchanged and synchronously.
 */
export type Payloads = {
  pack(workspaceId: string, value: Json): Json | Promise<Json>;
  unpack(workspaceId: string, packed: Json): Json | Promise<Json>;
};

/** Thrown by `pack` for payloads of workers; clients get a 422 before. */
export class PayloadTooLarge extends Error {
  constructor(bytes: number, bytesMax: number) {
    super(
      `A payload of ${bytes} bytes as JSON is over the limit of ${bytesMax}. Store the content as a file and pass its id.`,
    );
  }
}

/** Stores payloads as they are; for tests. */
export const plainPayloads: Payloads = { pack: (_, value) => value, unpack: (_, packed) => packed };
