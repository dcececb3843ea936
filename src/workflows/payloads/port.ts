import type { Json } from '../../../packages/workflows/src/protocol.ts';

/**
 * How values are kept that workflows pass around: inputs, results, what signals and updates bring. Packed they are still
 * JSON, but a large one is only a reference to its content, and with a key for the workspace none is readable. `pack`
 * runs before the transaction that stores the value, `unpack` before a worker or a client is shown it; of what neither
 * is large nor encrypted both are the identity, answered at once and not by a promise.
 */
export type Payloads = {
  pack(workspaceId: string, value: Json): Json | Promise<Json>;
  unpack(workspaceId: string, packed: Json): Json | Promise<Json>;
};

/** Thrown by `pack`; clients are told before, by a 422. */
export class PayloadTooLarge extends Error {
  constructor(bytes: number, bytesMax: number) {
    super(
      `A payload of ${bytes} bytes as JSON is over the limit of ${bytesMax}. Store the content as a file and pass its id.`,
    );
  }
}

/** For tests, and until a server is told where to keep large ones. */
export const plainPayloads: Payloads = { pack: (_, value) => value, unpack: (_, packed) => packed };
