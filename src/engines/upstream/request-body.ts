import { waitForTurn } from '../../kit/base/own-turn.ts';
import type { ChatRequest, EngineMessage, EnginePart, FimRequest } from '../engine.ts';

/** `mistral` servers refuse unknown fields and have their own words for a few; see README. */
export type Dialect = 'openai' | 'mistral';

/** Encoding so much takes a fraction of a millisecond. */
const PIECE_CHARACTERS = 256 * 1024;

type Body = Record<string, unknown>;
type ChatFields = Body & { model: string; messages: Body[] };
type Form = { model: string; dialect: Dialect; stream: boolean; choices: number };

type ChatForm = Form & { knowsFormats: boolean };

export function chatBody(request: ChatRequest, form: ChatForm): string {
  return JSON.stringify(chatFields(request, form));
}

/** The same bytes in pieces, with a turn for each: a conversation may be megabytes long, and others wait meanwhile. */
export async function chatBodyInTurns(request: ChatRequest, form: ChatForm): Promise<Buffer[]> {
  const { model, messages, ...rest } = chatFields(request, form);
  const pieces = [Buffer.from(`{"model":${JSON.stringify(model)},"messages":[`)];
  let text = '';
  for (const message of messages) {
    text += (text === '' && pieces.length === 1 ? '' : ',') + JSON.stringify(message);
    if (text.length < PIECE_CHARACTERS) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await waitForTurn();
  }
  const end = JSON.stringify(rest);
  pieces.push(Buffer.from(`${text}]${end === '{}' ? '}' : `,${end.slice(1)}`}`));
  return pieces;
}

/** How much text a conversation is, about. */
export function charactersOf(messages: readonly EngineMessage[]): number {
  let characters = 0;
  for (const { content } of messages) {
    if (typeof content === 'string') characters += content.length;
    else for (const part of content) characters += lengthOf(part);
  }
  return characters;
}

function lengthOf(part: EnginePart): number {
  switch (part.type) {
    case 'text':
      return part.text.length;
    case 'image_url':
      return part.url.length;
    case 'input_audio':
      return part.data.length;
  }
}

function chatFields(request: ChatRequest, form: ChatForm): ChatFields {
  const { model, dialect, stream, choices, knowsFormats } = form;
  const isMistral = dialect === 'mistral';
  const messages = knowsFormats ? request.messages : addFormatInstruction(request);
  const body: ChatFields = { model, messages: messages.map((message) => toMessage(message, isMistral)) };
  addSampling(body, request, { stream, choices, isMistral });
  if (request.tools.length > 0) {
    body.tools = request.tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: strict ? { name, description, parameters, strict } : { name, description, parameters },
    }));
    body.tool_choice = toToolChoice(request.toolChoice, isMistral);
    // Ollama and older servers do not know the field, so its default is not sent.
    if (!request.parallelToolCalls) body.parallel_tool_calls = false;
  }
  if (request.format.type === 'json_object' && knowsFormats) body.response_format = { type: 'json_object' };
  if (request.format.type === 'json_schema' && knowsFormats) {
    const { type, ...json_schema } = request.format;
    body.response_format = { type, json_schema };
  }
  if (request.presencePenalty !== undefined) body.presence_penalty = request.presencePenalty;
  if (request.frequencyPenalty !== undefined) body.frequency_penalty = request.frequencyPenalty;
  if (request.repetitionPenalty !== undefined) body.repetition_penalty = request.repetitionPenalty;
  if (request.topK !== undefined) body.top_k = request.topK;
  if (request.minTokens !== undefined) body.min_tokens = request.minTokens;
  if (request.logprobs !== undefined || request.promptLogprobs !== undefined) addLogprobs(body, request, isMistral);
  if (request.reasoningEffort !== undefined) body.reasoning_effort = request.reasoningEffort;
  if (request.prediction) body.prediction = { type: 'content', content: request.prediction };
  if (request.logitBias) body.logit_bias = request.logitBias;
  if (request.cacheKey !== undefined) body.prompt_cache_key = request.cacheKey;
  return body;
}

export function fimBody(request: FimRequest, form: Form): string {
  const isMistral = form.dialect === 'mistral';
  const body: Body = { model: form.model, prompt: request.prompt, suffix: request.suffix };
  addSampling(body, request, { stream: form.stream, choices: form.choices, isMistral });
  if (request.minTokens !== undefined) body.min_tokens = request.minTokens;
  return JSON.stringify(body);
}

/** The numbers are asked for as they are, which is every server's default: types and encodings are made on our side. */
export function embeddingsBody(
  texts: string[],
  { model, dialect }: { model: string; dialect: Dialect },
  dimension: number | undefined,
): string {
  const body: Body = { model, input: texts };
  if (dimension !== undefined) body[dialect === 'mistral' ? 'output_dimension' : 'dimensions'] = dimension;
  return JSON.stringify(body);
}

function addSampling(
  body: Body,
  request: ChatRequest | FimRequest,
  { stream, choices, isMistral }: { stream: boolean; choices: number; isMistral: boolean },
): void {
  if (request.temperature !== undefined) body.temperature = request.temperature;
  if (request.topP !== undefined) body.top_p = request.topP;
  if (request.maxTokens !== undefined) body.max_tokens = request.maxTokens;
  if (request.stop.length > 0) body.stop = request.stop;
  if (request.seed !== undefined) body[isMistral ? 'random_seed' : 'seed'] = request.seed;
  if (choices > 1) body.n = choices;
  if (!stream) return;
  body.stream = true;
  if (!isMistral) body.stream_options = { include_usage: true };
}

/** vLLM, whose words the other servers share, takes a number for the prompt and tells its tokens only by their ids. */
function addLogprobs(body: Body, { logprobs, promptLogprobs }: ChatRequest, isMistral: boolean): void {
  if (logprobs !== undefined) {
    body.logprobs = true;
    if (logprobs > 0) body.top_logprobs = logprobs;
  }
  if (promptLogprobs === undefined) return;
  body.prompt_logprobs = isMistral ? true : promptLogprobs;
  if (promptLogprobs > 0)
    body[isMistral ? 'top_prompt_logprobs' : 'return_token_ids'] = isMistral ? promptLogprobs : true;
}

function toToolChoice(choice: ChatRequest['toolChoice'], isMistral: boolean): unknown {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.name } };
  return choice === 'any' && !isMistral ? 'required' : choice;
}

function toMessage(message: EngineMessage, isMistral: boolean): Body {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return {
        role: 'user',
        content:
          typeof message.content === 'string'
            ? message.content
            : message.content.map((part) => toPart(part, isMistral)),
      };
    case 'tool': {
      const { content, toolCallId: tool_call_id, name } = message;
      return name === undefined
        ? { role: 'tool', content, tool_call_id }
        : { role: 'tool', content, tool_call_id, name };
    }
    case 'assistant':
      return toAssistantMessage(message, isMistral);
  }
}

// Thoughts go back only to servers that have a place for them; elsewhere they would become part of the answer.
function toAssistantMessage(message: EngineMessage & { role: 'assistant' }, isMistral: boolean): Body {
  const content =
    isMistral && message.thinking !== undefined
      ? [
          { type: 'thinking', thinking: [{ type: 'text', text: message.thinking }] },
          { type: 'text', text: message.content },
        ]
      : message.content;
  const body: Body = { role: 'assistant', content };
  if (message.toolCalls.length > 0) {
    if (content === '') body.content = null;
    body.tool_calls = message.toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    }));
  }
  if (message.prefix) body.prefix = true;
  return body;
}

function toPart(part: EnginePart, isMistral: boolean): Body {
  switch (part.type) {
    case 'text':
      return part as Body;
    case 'image_url': {
      const { url, detail } = part;
      return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } };
    }
    case 'input_audio':
      return { type: 'input_audio', input_audio: isMistral ? part.data : toAudio(part.data) };
  }
}

// A WAVE file begins with "RIFF", in base64 "UklGR".
function toAudio(data: string): Body {
  const bare = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data;
  return { data: bare, format: bare.startsWith('UklGR') ? 'wav' : 'mp3' };
}

/** Asks for JSON in words, for servers that have no field for it. */
function addFormatInstruction({ format, messages }: ChatRequest): EngineMessage[] {
  if (format.type === 'text') return messages;
  const instruction =
    format.type === 'json_schema'
      ? `Answer with JSON only, without any other text, valid for this JSON schema: ${JSON.stringify(format.schema)}`
      : 'Answer with one JSON object only, without any other text.';
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${instruction}` }, ...rest]
    : [{ role: 'system', content: instruction }, ...messages];
}
