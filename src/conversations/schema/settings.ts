import type { z } from 'zod';
import type { AgentTool, CompletionArgs, GuardrailConfig } from '../../chat/index.ts';

export type Guardrails = z.infer<typeof GuardrailConfig>[];

/** What a conversation was started with. */
export type Settings = {
  name: string | null;
  description: string | null;
} & (
  | {
      kind: 'model';
      model: string;
      instructions: string | null;
      tools: AgentTool[];
      completion_args: CompletionArgs;
      guardrails: Guardrails | null;
    }
  | { kind: 'agent'; agent_id: string; agent_version: string | number | null; guardrails: Guardrails | null }
);
