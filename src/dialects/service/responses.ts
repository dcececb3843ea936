import type { AgentService } from '../../agents/index.ts';
import type { ChatCompletionRequest, ChatService } from '../../chat/index.ts';
import { asPrivate, type Call } from '../../metering/index.ts';
import { echoOf, renderResponse } from '../responses/build-response.ts';
import { ResponseWriter } from '../responses/response-writer.ts';
import { toCompletion } from '../responses/to-completion.ts';
import type { CountResponseInputTokensRequest, CreateResponseRequest, ResponseBody } from '../schema/responses.ts';

export type ResponseService = {
  create(call: Call, body: CreateResponseRequest): Promise<ResponseBody>;
  stream(call: Call, body: CreateResponseRequest): Promise<AsyncIterable<string>>;
  countTokens(call: Call, body: CountResponseInputTokensRequest): Promise<number>;
};

export type CompletionPorts = {
  chat: Pick<ChatService, 'complete' | 'stream' | 'completeFim' | 'streamFim' | 'countTokens'>;
  agents: Pick<AgentService, 'applyTo'>;
};

/** Responses that are not kept: each is one chat completion. */
export function createResponseService(ports: CompletionPorts): ResponseService {
  return {
    create: (call, body) => completeResponse(ports, call, body),
    stream: (call, body) => streamResponse(ports, call, body, false),
    countTokens: async (call, body) => countTokens(ports, call, toCompletion(body).completion),
  };
}

export async function completeResponse(
  ports: CompletionPorts,
  call: Call,
  body: CreateResponseRequest,
): Promise<ResponseBody> {
  const { completion, named } = toCompletion(body);
  const echo = echoOf(body);
  return ports.chat.complete(
    privateIf(call, body),
    await withAgent(ports, call, completion),
    (done, head, { showsThinking }) => renderResponse(done, responseHead(head), echo, named, showsThinking),
  );
}

export async function streamResponse(
  ports: CompletionPorts,
  call: Call,
  body: CreateResponseRequest,
  isPadded: boolean,
): Promise<AsyncIterable<string>> {
  const { completion, named } = toCompletion(body);
  const echo = echoOf(body);
  return ports.chat.stream(
    privateIf(call, body),
    await withAgent(ports, call, completion),
    (head, shown) => new ResponseWriter(responseHead(head), { echo, named, shown, isPadded }),
  );
}

const privateIf = (call: Call, { store }: CreateResponseRequest) => (store === false ? asPrivate(call) : call);

const responseHead = ({ id, created, model }: { id: string; created: number; model: string }) => ({
  id: `resp_${id}`,
  created,
  model,
});

/** The id of an agent may stand where a model's name stands. */
export function withAgent(
  { agents }: Pick<CompletionPorts, 'agents'>,
  call: Call,
  body: ChatCompletionRequest,
): ChatCompletionRequest | Promise<ChatCompletionRequest> {
  return body.model.startsWith('ag_') ? agents.applyTo(call, body) : body;
}

export async function countTokens(
  ports: CompletionPorts,
  call: Call,
  completion: ChatCompletionRequest,
): Promise<number> {
  const { tokens, isEstimate } = await ports.chat.countTokens(call, await withAgent(ports, call, completion));
  if (isEstimate) call.setHeader('tramontane-estimated', 'input_tokens');
  return tokens;
}
