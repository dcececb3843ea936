import type { StreamEvent } from '../../../src/conversations/schema/responses.ts';
import { ApiError } from './api-error.ts';
import { stream } from './stream.ts';

export type Source = { title: string; url: string | undefined; description: string | undefined };
type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };

/** The answer of a conversation with what it cites, as it streams in. */
export type Answer = {
  conversationId: string | undefined;
  text: string;
  thinking: string;
  /** What the model searched for. */
  searches: string[];
  sources: Source[];
  /** Calls of functions that the caller runs. */
  calls: { id: string; name: string; arguments: string }[];
  usage: Usage | undefined;
};

export const EMPTY_ANSWER: Answer = {
  conversationId: undefined,
  text: '',
  thinking: '',
  searches: [],
  sources: [],
  calls: [],
  usage: undefined,
};

/** Starts or continues a conversation; each step is the whole answer so far. */
export async function* askConversation(path: string, body: object, signal: AbortSignal): AsyncGenerator<Answer> {
  let answer = EMPTY_ANSWER;
  for await (const { data } of stream(path, { ...body, stream: true }, signal)) {
    answer = addEvent(answer, JSON.parse(data) as StreamEvent);
    yield answer;
  }
}

export function addEvent(answer: Answer, event: StreamEvent): Answer {
  switch (event.type) {
    case 'conversation.response.started':
      return { ...answer, conversationId: event.conversation_id };
    case 'conversation.response.error':
      throw new ApiError(event.code, event.message);
    case 'conversation.response.done':
      return { ...answer, usage: event.usage };
    case 'tool.execution.done': {
      const query = event.info?.query;
      return typeof query === 'string' ? { ...answer, searches: [...answer.searches, query] } : answer;
    }
    case 'function.call.delta': {
      const { tool_call_id: id, name, arguments: given } = event;
      return { ...answer, calls: [...answer.calls, { id, name, arguments: given }] };
    }
    case 'message.output.delta':
      return addContent(answer, event.content);
    default:
      return answer;
  }
}

type Content = Extract<StreamEvent, { type: 'message.output.delta' }>['content'];

function addContent(answer: Answer, content: Content): Answer {
  if (typeof content === 'string') return { ...answer, text: answer.text + content };
  if (content.type === 'text') return { ...answer, text: answer.text + content.text };
  if (content.type === 'thinking') {
    const thought = content.thinking.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return { ...answer, thinking: answer.thinking + thought };
  }
  if (content.type !== 'tool_reference') return answer;
  const { title, url, description } = content;
  return {
    ...answer,
    sources: [...answer.sources, { title, url: url ?? undefined, description: description ?? undefined }],
  };
}
