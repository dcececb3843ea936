import { z } from 'zod';

const Id = z.union([z.string(), z.int()]);

/** A message as JSON-RPC 2.0 frames it. For the document; the protocol library reads the real ones. */
export const JsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    // Null where a message could not be read far enough to know whose it was.
    id: Id.nullable().optional(),
    method: z.string().optional(),
    params: z.record(z.string(), z.unknown()).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  })
  .meta({ id: 'JsonRpcMessage' });

export const JsonRpcEvent = z.object({ data: JsonRpcMessage });
