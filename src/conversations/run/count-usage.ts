import type { ConversationUsageInfo } from '../schema/responses.ts';

const CHARACTERS_PER_TOKEN = 4;

export function noUsage(): ConversationUsageInfo {
  return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, connector_tokens: null, connectors: null };
}

export function countTurn(
  usage: ConversationUsageInfo,
  turn: { promptTokens: number; completionTokens: number },
): void {
  usage.prompt_tokens += turn.promptTokens;
  usage.completion_tokens += turn.completionTokens;
  usage.total_tokens += turn.promptTokens + turn.completionTokens;
}

/** What a tool said counts by its length: no model's tokenizer has seen it yet. */
export function countTool(usage: ConversationUsageInfo, tool: string, text: string): void {
  const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  usage.connector_tokens = (usage.connector_tokens ?? 0) + tokens;
  usage.total_tokens += tokens;
  usage.connectors = { ...usage.connectors, [tool]: (usage.connectors?.[tool] ?? 0) + 1 };
}
