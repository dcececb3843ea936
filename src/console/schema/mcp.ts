import { z } from 'zod';

export const McpCallers = z.object({
  callers: z.array(
    z.object({
      key_id: z.string(),
      /** The name of the key, or of the user of a session. */
      key_name: z.string(),
      /** As the client names itself. */
      client: z.string(),
      calls: z.int(),
      refused: z.int(),
      last_at: z.string(),
    }),
  ),
});
export type McpCallers = z.infer<typeof McpCallers>;
