import { z } from 'zod';

export const PromptParams = z.strictObject({ prompt_id: z.string().min(1).max(255) });

export const PromptUses = z.object({
  agents: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      version: z.int(),
      alias: z.string().nullable(),
      prompt_version: z.int().nullable(),
    }),
  ),
});
export type PromptUses = z.infer<typeof PromptUses>;
