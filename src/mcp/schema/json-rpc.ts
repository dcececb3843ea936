import { z } from 'zod';

const Id = z.union([z.string(), z.int()]);

/** Only for the API document: the protocol library parses the messages. */
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

/** The refusal of a message, with its `id`, or null where the id could not be read. */
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
