import type { FlavouredRequest } from './flavours.ts';
import type { PlaygroundRequest } from './setup.ts';

const CONVERSATIONS = '/v1/conversations';

export const isConversation = ({ path }: { path: string }): boolean => path === CONVERSATIONS;

/** Only conversations run tools on the server: the same request as one that is not stored. */
export function toConversation({ body }: PlaygroundRequest, serverTools: readonly object[]): FlavouredRequest {
  const { model, messages, tools = [], ...args } = body;
  const instructions = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    path: CONVERSATIONS,
    body: {
      model,
      ...(instructions.length > 0 ? { instructions: instructions.join('\n\n') } : {}),
      inputs: messages.filter(({ role }) => role !== 'system').flatMap(toEntries),
      tools: [...(tools ?? []), ...serverTools],
      ...(Object.keys(args).length > 0 ? { completion_args: args } : {}),
      store: false,
    },
  };
}

type Message = PlaygroundRequest['body']['messages'][number];

function toEntries({ role, content, tool_calls = [], tool_call_id }: Message): object[] {
  if (role === 'tool') return [{ type: 'function.result', tool_call_id, result: content }];
  const calls = tool_calls.map(({ id, function: called }) => ({ type: 'function.call', tool_call_id: id, ...called }));
  return content === '' && calls.length > 0 ? calls : [{ type: 'message.input', role, content }, ...calls];
}
