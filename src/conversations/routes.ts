import { z } from 'zod';
import { GuardrailRefusal } from '../guardrails/index.ts';
import { type AnyRoute, route, type SseEvent, sse, streamedList, streamedObject } from '../kit/http/index.ts';
import { type Reply, toErrorEvent } from './respond.ts';
import {
  AnyConversation,
  ConversationAppendRequest,
  ConversationParams,
  ConversationRequest,
  ConversationRestartRequest,
  ConversationsQuery,
  TitlesQuery,
} from './schema/requests.ts';
import {
  ConversationBranches,
  ConversationEvents,
  ConversationHistory,
  ConversationMessages,
  ConversationResponse,
  ConversationTitles,
} from './schema/responses.ts';
import type { ConversationService } from './service.ts';

const tags = ['beta.conversations'];
const read = { tags, permission: 'conversations:read' };
const write = { tags, permission: 'conversations:write' };
const run = {
  ...write,
  creates: 'by-room' as const,
  response: ConversationResponse,
  streams: ConversationEvents,
  alsoAnswers: [502, 504, [403, GuardrailRefusal]] as (number | [number, z.ZodType])[],
};

export function conversationRoutes(conversations: ConversationService): AnyRoute[] {
  return [
    route({
      ...run,
      method: 'POST',
      path: '/v1/conversations',
      operationId: 'agents_api_v1_conversations_start',
      summary: 'Start a conversation with a model or an agent, and run its first turn',
      body: ConversationRequest,
      largeBody: true,
      handler: (call) => conversations.start(call, call.body).then(render),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/conversations',
      operationId: 'agents_api_v1_conversations_list',
      summary: 'List your conversations, newest first',
      query: ConversationsQuery,
      response: z.array(AnyConversation),
      handler: async ({ scope, query }) => streamedList(await conversations.list(scope, query)),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/conversations/:conversation_id',
      operationId: 'agents_api_v1_conversations_get',
      summary: 'Read what a conversation was started with',
      params: ConversationParams,
      response: AnyConversation,
      handler: ({ scope, params }) => conversations.get(scope, params.conversation_id),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/conversations/:conversation_id',
      operationId: 'agents_api_v1_conversations_delete',
      summary: 'Delete a conversation; a run that goes on is ended',
      status: 204,
      params: ConversationParams,
      handler: ({ scope, params }) => conversations.remove(scope, params.conversation_id),
    }),
    route({
      ...run,
      method: 'POST',
      path: '/v1/conversations/:conversation_id',
      operationId: 'agents_api_v1_conversations_append',
      summary: 'Append to a conversation and run the next turn',
      params: ConversationParams,
      body: ConversationAppendRequest,
      largeBody: true,
      handler: (call) => conversations.append(call, call.params.conversation_id, call.body).then(render),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/conversations/:conversation_id/history',
      operationId: 'agents_api_v1_conversations_history',
      summary: 'Read all entries of a conversation in the order they were appended',
      params: ConversationParams,
      response: ConversationHistory,
      handler: async ({ scope, params: { conversation_id } }) =>
        streamedObject(
          { object: 'conversation.history' as const, conversation_id },
          'entries',
          await conversations.history(scope, conversation_id),
        ),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/conversations/:conversation_id/messages',
      operationId: 'agents_api_v1_conversations_messages',
      summary: 'Read the messages of a conversation and nothing else',
      params: ConversationParams,
      response: ConversationMessages,
      handler: async ({ scope, params: { conversation_id } }) =>
        streamedObject(
          { object: 'conversation.messages' as const, conversation_id },
          'messages',
          await conversations.messages(scope, conversation_id),
        ),
    }),
    route({
      ...run,
      method: 'POST',
      path: '/v1/conversations/:conversation_id/restart',
      operationId: 'agents_api_v1_conversations_restart',
      summary: 'Make a new conversation from an entry of this one, and run its next turn',
      params: ConversationParams,
      body: ConversationRestartRequest,
      largeBody: true,
      handler: (call) => conversations.restart(call, call.params.conversation_id, call.body).then(render),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/conversations/:conversation_id/events',
      operationId: 'tramontane_conversations_events',
      summary: 'Follow the newest run of a conversation; Last-Event-ID resumes it exactly',
      params: ConversationParams,
      streams: ConversationEvents,
      handler: async (call) => toStream(await conversations.events(call, call.params.conversation_id)),
    }),
    route({
      surface: 'console',
      hidden: true,
      method: 'GET',
      path: '/console/api/conversations/titles',
      operationId: 'console_conversations_titles',
      summary: 'The first words of conversations, by id',
      permission: 'conversations:read',
      query: TitlesQuery,
      response: ConversationTitles,
      handler: async ({ scope, query }) => ({ titles: await conversations.overview.titles(scope, query.id) }),
    }),
    route({
      surface: 'console',
      hidden: true,
      method: 'GET',
      path: '/console/api/conversations/:conversation_id/branches',
      operationId: 'console_conversations_branches',
      summary: 'List your other conversations that begin with the same entries',
      permission: 'conversations:read',
      params: ConversationParams,
      response: ConversationBranches,
      handler: ({ scope, params }) => conversations.branches(scope, params.conversation_id),
    }),
  ];
}

function render(reply: Reply) {
  return Symbol.asyncIterator in reply ? toStream(reply) : reply;
}

function toStream(events: AsyncIterable<SseEvent>) {
  return sse(events, { resumable: true, toErrorEvent });
}
