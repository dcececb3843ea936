import { z } from 'zod';

export const SearchQuery = z.strictObject({ text: z.string().max(200).trim().min(2) });

export const FOUND_KINDS = [
  'prompt',
  'skill',
  'agent',
  'conversation',
  'execution',
  'workflow',
  'file',
  'library',
  'model',
] as const;

export const FoundThing = z.object({
  kind: z.enum(FOUND_KINDS),
  /** What its page is opened by. */
  id: z.string(),
  name: z.string(),
  /** What else is known of it: a description, a state, or the words around the text. */
  detail: z.string(),
  at: z.string().nullable(),
});
export type FoundThing = z.infer<typeof FoundThing>;

export const ConsoleSearch = z.object({ found: z.array(FoundThing) });
export type ConsoleSearch = z.infer<typeof ConsoleSearch>;
