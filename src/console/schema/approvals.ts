import { z } from 'zod';

export const Approval = z.object({
  kind: z.enum(['workflow_input', 'tool_confirmation', 'connector_tool', 'skill_findings']),
  /** Of the execution, the conversation, the connector or the skill. */
  id: z.string(),
  title: z.string(),
  detail: z.string(),
  since: z.string(),
  /** Of a skill, where its findings are closed. */
  version: z.int().nullable(),
});
export type Approval = z.infer<typeof Approval>;

/** Newest first. `has_more`: some kind has more than are listed. */
export const ConsoleApprovals = z.object({ approvals: z.array(Approval), has_more: z.boolean() });
export type ConsoleApprovals = z.infer<typeof ConsoleApprovals>;
