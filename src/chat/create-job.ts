import type { GuardrailConfig } from '../guardrails/index.ts';
import type { Call } from '../metering/index.ts';
import {
  adviseConfiguration,
  type ChatRequest,
  type Completion,
  type Delta,
  deprecationHeaders,
  type FimRequest,
  isStandIn,
  type Model,
  type ModelService,
  modelErrors,
  type Need,
  type Tally,
} from '../models/index.ts';
import { isReference, type PromptService, parseReference } from '../prompts/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { checkMessages } from './check-messages.ts';
import { replaceInvalid } from './complete-checked.ts';
import { chatErrors } from './errors.ts';
import { type AudioListener, hasAudio, hearAudio } from './hear-audio.ts';
import { type DocumentReader, hasDocuments, readDocuments } from './read-documents.ts';
import type { Message } from './schema/messages.ts';
import type { ChatCompletionRequest, FIMCompletionRequest } from './schema/requests.ts';
import { streamChecked } from './stream-checked.ts';
import { toChatRequest, toFimRequest } from './to-engine-request.ts';

const CHARACTERS_PER_TOKEN = 4;
const BYTES_PER_TOKEN = 3;
const TEMPLATE_TOKENS = 64;

/** A request that passed every rule, in the engine's terms, and the two ways to run it. */
export type Job = {
  kind: 'chat' | 'fim';
  model: Model;
  /** The name that the request gave to the model, which may be a prompt's. */
  asked: string;
  request: ChatRequest | FimRequest;
  /** Estimated by length, for reservations. */
  promptTokens: number;
  prefix: string;
  showsThinking: boolean;
  /** What guardrails must check before the model may read it. */
  guarded: { guardrails: readonly GuardrailConfig[]; texts: string[] } | undefined;
  complete(signal: AbortSignal, tally: Tally): Promise<Completion>;
  /** Asks again when the completion breaks the contract about tool calls and JSON; undefined when it does not. */
  replaceInvalid(first: Completion, signal: AbortSignal, tally: Tally): Promise<Completion> | undefined;
  stream(signal: AbortSignal, tally: Tally): AsyncIterable<Delta[]>;
};

export type JobPorts = {
  /** Whether a model server may fetch an image from this address; any, if left out. */
  mayFetch?: (url: URL) => boolean;
  models: Pick<ModelService, 'find'>;
  /** Reads documents that are sent in messages. */
  documents?: DocumentReader | undefined;
  /** Hears recordings that are sent in messages. */
  audio?: AudioListener | undefined;
  /** Finds models named `prompt:…`. */
  prompts?: Pick<PromptService, 'fill' | 'read'>;
};

/** A promise only for a model that is a prompt, and for documents: all others need no lookup. */
export function createChatJob(ports: JobPorts, call: Call, body: ChatCompletionRequest): Job | Promise<Job> {
  if (!ports.prompts || !isReference(body.model)) return readAndCreate(ports, call, body);
  return applyPrompt(ports.prompts, call, body).then(async (applied) => ({
    ...(await readAndCreate(ports, call, applied)),
    asked: body.model,
  }));
}

function readAndCreate(ports: JobPorts, call: Call, body: ChatCompletionRequest): Job | Promise<Job> {
  const [isRead, isHeard] = [hasDocuments(body.messages), hasAudio(body.messages)];
  if (!isRead && !isHeard) return toChatJob(ports, call, body);
  // Refused before a document is read, which costs time and money.
  checkMessages(body.messages, body.anyOrder);
  return attach(ports, call, body, isRead, isHeard);
}

/** Documents as text, and sound as text for models that do not hear. */
async function attach(
  ports: JobPorts,
  call: Call,
  body: ChatCompletionRequest,
  isRead: boolean,
  isHeard: boolean,
): Promise<Job> {
  const model = findModel(ports.models, call, body.model, 'chat');
  // A public name stands for a model that hears, if there is one.
  const hearing = model.id === body.model ? model : findModel(ports.models, call, body.model, 'audio');
  const heard = isHeard ? await hearAudio(ports.audio, call, body, hearing) : body;
  const read = isRead ? await readDocuments(ports.documents, call, heard, model) : heard;
  return toChatJob(ports, call, read);
}

/** Replaces the prompt by its model, and puts its text in front of the messages. */
async function applyPrompt(
  prompts: Pick<PromptService, 'fill'>,
  { scope, setHeader }: Call,
  body: ChatCompletionRequest,
): Promise<ChatCompletionRequest> {
  const { text, model, headers } = await prompts.fill(scope, parseReference(body.model), body.metadata?.variables);
  for (const [name, value] of Object.entries(headers)) setHeader(name, value);
  return { ...body, model, messages: withSystemText(body.messages, text) };
}

// Many chat templates allow one system message only, so an existing one is extended.
function withSystemText(messages: Message[], text: string): Message[] {
  const [first, ...rest] = messages;
  if (text === '') return messages;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages];
  const { content } = first;
  const joined =
    typeof content === 'string' ? `${text}\n\n${content}` : [{ type: 'text' as const, text: `${text}\n` }, ...content];
  return [{ ...first, content: joined }, ...rest];
}

function toChatJob({ models, mayFetch }: JobPorts, call: Call, body: ChatCompletionRequest): Job {
  const named = findModel(models, call, body.model, 'chat');
  if (!named.capabilities.completion_chat)
    throw chatErrors.model_capability_missing(
      `The model '${named.id}' cannot complete chats. Choose one whose card has completion_chat. ${adviseConfiguration('chat')}`,
    );
  const request = toChatRequest(body);
  const need = named.id === body.model ? undefined : contentNeed(request);
  const model = need ? findModel(models, call, body.model, need) : named;
  announce(model, call);
  request.tenant = tenantOf(call.scope);
  request.workspace = call.scope.workspace_id;
  if (mayFetch) checkImages(request, mayFetch);
  const promptTokens = estimateTokens(request);
  fitContext(model, call, body.model, request, promptTokens);
  if (request.temperature === undefined && model.temperature !== null) request.temperature = model.temperature;
  const last = request.messages.at(-1);
  return {
    kind: 'chat',
    model,
    asked: body.model,
    request,
    promptTokens,
    prefix: last?.role === 'assistant' && last.prefix ? last.content : '',
    showsThinking: request.reasoningEffort !== 'none',
    guarded: body.guardrails?.length ? { guardrails: body.guardrails, texts: guardedTexts(request) } : undefined,
    complete: (signal, tally) => model.engine.complete(request, signal, tally),
    replaceInvalid: (first, signal, tally) => replaceInvalid(model.engine, request, first, signal, tally),
    stream: (signal, tally) => streamChecked(model.engine, request, signal, tally),
  };
}

export function createFimJob({ models }: JobPorts, call: Call, body: FIMCompletionRequest): Job {
  const model = findModel(models, call, body.model, 'fim');
  announce(model, call);
  const { engine } = model;
  const { completeFim, streamFim } = engine;
  if (!completeFim || !streamFim || !model.capabilities.completion_fim)
    throw chatErrors.model_capability_missing(
      `The model '${model.id}' cannot fill in the middle. Choose one whose card has completion_fim. ${adviseConfiguration('fim')}`,
    );
  const request = toFimRequest(body);
  request.tenant = tenantOf(call.scope);
  request.workspace = call.scope.workspace_id;
  const promptTokens = Math.ceil((request.prompt.length + request.suffix.length) / CHARACTERS_PER_TOKEN);
  fitContext(model, call, body.model, request, promptTokens);
  return {
    kind: 'fim',
    model,
    asked: body.model,
    request,
    promptTokens,
    prefix: '',
    showsThinking: false,
    guarded: undefined,
    complete: (signal, tally) => completeFim.call(engine, request, signal, tally),
    replaceInvalid: () => undefined,
    stream: (signal, tally) => streamFim.call(engine, request, signal, tally),
  };
}

/** Throws if the workspace has no such model, or no such prompt. */
export async function checkModel(
  { models, prompts }: JobPorts,
  call: Pick<Call, 'scope'>,
  name: string,
): Promise<void> {
  if (!prompts || !isReference(name)) return void findModel(models, call, name, 'chat');
  // An alias may be set later, so the prompt alone is looked for.
  await prompts.read(call.scope, parseReference(name).idOrName);
}

function findModel(models: JobPorts['models'], { scope }: Pick<Call, 'scope'>, name: string, need: Need): Model {
  const model = models.find(name, scope.workspace_id, need);
  if (!model) throw modelErrors.unknown_model(name, adviseConfiguration(need, name));
  return model;
}

function announce(model: Model, { setHeader }: Call): void {
  for (const [header, value] of Object.entries(deprecationHeaders(model))) setHeader(header, value);
}

/** A model server fetches images from within the operator's network. */
function checkImages({ messages }: ChatRequest, mayFetch: (url: URL) => boolean): void {
  for (const message of messages) {
    if (message.role !== 'user' || typeof message.content === 'string') continue;
    for (const part of message.content) {
      if (part.type !== 'image_url' || /^data:/i.test(part.url)) continue;
      const url = URL.parse(part.url);
      if (!url || url.username || url.password || !mayFetch(url)) throw chatErrors.image_url_forbidden();
    }
  }
}

/** Content that a public name leaves to a model that takes it, if there is one. */
function contentNeed({ messages }: ChatRequest): Need | undefined {
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const { type } of content) {
      if (type === 'image_url') return 'vision';
      if (type === 'input_audio') return 'audio';
    }
  }
  return undefined;
}

/**
 * The length of the prompt is checked by the engine, which has the tokenizer. Whoever uses a public name knows the limits of
 * another model, so `max_tokens` is lowered to what this one can write after the prompt.
 */
function fitContext(
  model: Model,
  { setHeader }: Call,
  name: string,
  request: ChatRequest | FimRequest,
  promptTokens: number,
): void {
  const { id, max_context_length: holds } = model;
  const { maxTokens = 0 } = request;
  if (maxTokens + promptTokens <= holds) return;
  if (isStandIn(model, name)) {
    const left = Math.max(Math.ceil(holds / 16), holds - measurePrompt(request));
    if (left >= maxTokens) return;
    request.maxTokens = left;
    setHeader('tramontane-max-tokens', String(left));
  } else if (maxTokens > holds) throw chatErrors.max_tokens_too_large(maxTokens, holds, id);
}

/** More than most tokenizers make of it: a model server refuses a request that exceeds its context by one token. */
function measurePrompt(request: ChatRequest | FimRequest): number {
  const withoutMedia = (key: string, value: unknown) =>
    typeof value === 'string' && (key === 'url' || key === 'data') ? '' : value;
  return TEMPLATE_TOKENS + Math.ceil(Buffer.byteLength(JSON.stringify(request, withoutMedia)) / BYTES_PER_TOKEN);
}

/**
 * What guardrails check: the messages of users and tools, and a prefix. System messages are the developer's own, and
 * earlier replies were generated from input that was checked.
 */
function guardedTexts({ messages }: ChatRequest): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'system' || (message.role === 'assistant' && !message.prefix)) return [];
    if (typeof message.content === 'string') return [message.content];
    return [message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')];
  });
}

function estimateTokens({ messages, tools }: ChatRequest): number {
  let characters = 0;
  for (const { content } of messages) {
    if (typeof content === 'string') characters += content.length;
    else for (const part of content) characters += part.type === 'text' ? part.text.length : 0;
  }
  for (const { name, description } of tools) characters += name.length + description.length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
