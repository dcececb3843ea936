import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from './api-client.ts';

type Card = { id: string; capabilities: { completion_chat?: boolean } };

/** The first model of the server that chats. */
export async function findChatModel(api: ApiClient): Promise<string> {
  const { data } = await api.get<{ data: Card[] }>('/v1/models');
  const card = data.find(({ capabilities }) => capabilities.completion_chat);
  if (!card) throw new CommandFailure('The server has no chat model. Add one under models: in its configuration.');
  return card.id;
}
