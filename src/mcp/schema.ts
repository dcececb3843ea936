import { z } from 'zod';

const Id = z.union([z.string(), z.int()]);

/** A message as JSON-RPC 2.0 frames it. For the document; the protocol library reads the real ones. */
export const JsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: Id.optional(),
    method: z.string().optional(),
    params: z.record(z.string(), z.unknown()).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  })
  .meta({ id: 'JsonRpcMessage' });

/** A message that could not be taken; `id` is whatever it had, or null where it could not be read that far. */
export const JsonRpcRefusal = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.unknown(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
  })
  .meta({ id: 'JsonRpcRefusal' });

export const JsonRpcEvent = z.object({
  event: z.literal('message').optional(),
  id: z.string().optional(),
  data: JsonRpcMessage,
});
