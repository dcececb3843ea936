import { ChatCompletionRequest, type ChatService } from '../chat/index.ts';
import type { ModelService } from '../models/index.ts';
import { retrievalErrors, type Summarize } from '../retrieval/index.ts';

/** Summaries of search indexes, by the first chat model of the caller's workspace. */
export function createSummarizer(chat: Pick<ChatService, 'complete'>, models: Pick<ModelService, 'served'>): Summarize {
  return async function* (call, prompt) {
    const model = models.served(call.scope.workspace_id).find(({ capabilities }) => capabilities.completion_chat);
    if (!model) throw retrievalErrors.no_summary_model();
    const body = ChatCompletionRequest.parse({ model: model.id, messages: [{ role: 'user', content: prompt }] });
    const { choices } = await chat.complete(call, body);
    const content = choices[0]?.message?.content;
    if (typeof content === 'string') yield content;
  };
}
