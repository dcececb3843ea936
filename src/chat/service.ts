import type { GuardrailConfig, GuardrailResult, GuardrailService, ModerationResponse } from '../guardrails/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { ApiError, badRequest } from '../kit/http/index.ts';
import { type Call, type Meter, type Run, startRun, type UsageRecord } from '../metering/index.ts';
import {
  type ChatRequest,
  type Completion,
  type Delta,
  deprecationHeaders,
  type FimRequest,
  type Model,
  type ModelService,
} from '../models/index.ts';
import { isReference, type PromptService } from '../prompts/index.ts';
import { applyPrompt } from './apply-prompt.ts';
import { checkImages } from './check-images.ts';
import { mendCompletion } from './complete-checked.ts';
import { estimatePrompt } from './estimate-tokens.ts';
import { guardedTexts, lastTexts } from './moderated-texts.ts';
import { ChunkWriter } from './relay/chunk-writer.ts';
import { openRelay } from './relay/relay-stream.ts';
import { renderAnswer } from './render-answer.ts';
import type { ChatModerationRequest } from './schema/moderations.ts';
import type { ChatCompletionRequest, FIMCompletionRequest } from './schema/requests.ts';
import type { ChatCompletionResponse } from './schema/responses.ts';
import { streamChecked } from './stream-checked.ts';
import { toChatRequest, toFimRequest } from './to-engine-request.ts';
import { createTurn, type Turn } from './turn.ts';

export type ChatService = {
  complete(call: Call, body: ChatCompletionRequest): Promise<ChatCompletionResponse>;
  /** Chunks as text for the wire, several at a time; rejects when it fails before the first. */
  stream(call: Call, body: ChatCompletionRequest): Promise<AsyncIterable<string>>;
  completeFim(call: Call, body: FIMCompletionRequest): Promise<ChatCompletionResponse>;
  streamFim(call: Call, body: FIMCompletionRequest): Promise<AsyncIterable<string>>;
  /** One answer for a room that keeps what was said by itself. Everything that can be refused is refused here. */
  openTurn(call: Call, body: ChatCompletionRequest): Promise<Turn>;
  /** Judges the last message of each conversation. */
  moderate(call: Call, body: ChatModerationRequest): Promise<ModerationResponse>;
};

export type ChatPorts = {
  /** Whether a model server may be sent to this address of an image; any, if left out. */
  mayFetch?: (url: URL) => boolean;
  models: Pick<ModelService, 'find'>;
  /** Where a model named `prompt:…` is looked up. */
  prompts?: Pick<PromptService, 'fill'>;
  guardrails: GuardrailService;
  now: Clock;
  meter?: Meter;
  onUsage?: (record: UsageRecord) => void;
};

/** What must be checked before the model may read it. */
type Guarded = { guardrails: readonly GuardrailConfig[]; texts: string[] };

/** A request that passed every rule, and the two ways to have it answered. */
type Job = {
  kind: 'chat' | 'fim';
  model: Model;
  request: ChatRequest | FimRequest;
  prefix: string;
  showsThinking: boolean;
  guarded: Guarded | undefined;
  complete(signal: AbortSignal): Promise<Completion>;
  /** Takes the place of an answer that does not keep the contract. */
  mend(first: Completion, signal: AbortSignal): Promise<Completion> | undefined;
  stream(signal: AbortSignal): AsyncIterable<Delta[]>;
};

type ToJob<B> = (call: Call, body: B) => Job | Promise<Job>;

export function createChatService(ports: ChatPorts): ChatService {
  const { models, prompts, guardrails, now, meter, onUsage } = ports;
  const accounts = { now, meter, onUsage };
  const headOf = (model: Model, startedAt: number) => ({
    id: hexId(),
    created: Math.floor(startedAt / 1000),
    model: model.id,
  });

  /** What the guardrails found. An input that they block costs nothing but their own tokens. */
  async function guard(call: Call, asked: Guarded, run: Run): Promise<GuardrailResult[]> {
    try {
      return await guardrails.check(call, asked.guardrails, asked.texts);
    } catch (error) {
      throw run.fail(error, { promptTokens: 0, completionTokens: 0 });
    }
  }

  // A model that is a prompt is looked up first; all others need no promise for that.
  const toChatJob: ToJob<ChatCompletionRequest> = (call, body) =>
    prompts && isReference(body.model)
      ? applyPrompt(prompts, call, body).then((applied) => chatJob(ports, call, applied))
      : chatJob(ports, call, body);
  const toFimJob: ToJob<FIMCompletionRequest> = (call, body) => fimJob(models, call, body);

  // Each takes the body and not the job: what is wrong with a body must come out of the promise, and a function of its
  // own for that would cost every request a promise more.
  async function complete<B>(call: Call, body: B, toJob: ToJob<B>): Promise<ChatCompletionResponse> {
    const made = toJob(call, body);
    const job = made instanceof Promise ? await made : made;
    const promptTokens = estimatePrompt(job.request);
    const started = startRun(accounts, call, costOf(job, promptTokens));
    const run = started instanceof Promise ? await started : started;
    const found = job.guarded && (await guard(call, job.guarded, run));
    try {
      const { signal } = call;
      const first = await job.complete(signal);
      const mended = job.mend(first, signal);
      const completion = mended ? await mended : first;
      run.settle(200, completion.usage);
      const answer = renderAnswer(completion, headOf(job.model, run.startedAt), job);
      return found ? { ...answer, guardrails: found } : answer;
    } catch (error) {
      throw run.fail(error, { promptTokens, completionTokens: 0 });
    }
  }

  async function stream<B>(call: Call, body: B, toJob: ToJob<B>): Promise<AsyncIterable<string>> {
    const made = toJob(call, body);
    const job = made instanceof Promise ? await made : made;
    const promptTokens = estimatePrompt(job.request);
    const run = await startRun(accounts, call, costOf(job, promptTokens));
    const found = job.guarded && (await guard(call, job.guarded, run));
    const { prefix, showsThinking } = job;
    const { choices } = job.request;
    const settings = { choices, prefix, showsThinking, ...(found && { guardrails: found }) };
    const writer = new ChunkWriter(headOf(job.model, run.startedAt), settings);
    return openRelay(job.stream(call.signal), { writer, run, signal: call.signal, promptTokens });
  }

  return {
    complete: (call, body) => complete(call, body, toChatJob),
    stream: (call, body) => stream(call, body, toChatJob),
    completeFim: (call, body) => complete(call, body, toFimJob),
    streamFim: (call, body) => stream(call, body, toFimJob),
    async openTurn(call, body) {
      const job = await toChatJob(call, body);
      const promptTokens = estimatePrompt(job.request);
      const run = await startRun(accounts, call, costOf(job, promptTokens));
      const found = (job.guarded && (await guard(call, job.guarded, run))) ?? null;
      return createTurn({ ...job, run, promptTokens, signal: call.signal, guardrails: found });
    },
    moderate: async (call, body) => guardrails.moderate(call, body.model, lastTexts(body)),
  };
}

function costOf({ kind, model, request }: Job, promptTokens: number) {
  return { kind, model: model.id, estimatedTokens: promptTokens + (request.maxTokens ?? 0) * request.choices };
}

function chatJob({ models, mayFetch }: ChatPorts, call: Call, body: ChatCompletionRequest): Job {
  const model = findModel(models, call, body.model);
  if (!model.capabilities.completion_chat) throw badRequest(`The model '${model.id}' cannot complete chats.`);
  const request = toChatRequest(body);
  if (mayFetch) checkImages(request, mayFetch);
  checkContext(model, request);
  if (request.temperature === undefined && model.temperature !== null) request.temperature = model.temperature;
  const last = request.messages.at(-1);
  return {
    kind: 'chat',
    model,
    request,
    prefix: last?.role === 'assistant' && last.prefix ? last.content : '',
    showsThinking: request.reasoningEffort !== 'none',
    guarded: body.guardrails?.length ? { guardrails: body.guardrails, texts: guardedTexts(request) } : undefined,
    complete: (signal) => model.engine.complete(request, signal),
    mend: (first, signal) => mendCompletion(model.engine, request, first, signal),
    stream: (signal) => streamChecked(model.engine, request, signal),
  };
}

function fimJob(models: ChatPorts['models'], call: Call, body: FIMCompletionRequest): Job {
  const model = findModel(models, call, body.model);
  const { engine } = model;
  const { completeFim, streamFim } = engine;
  if (!completeFim || !streamFim || !model.capabilities.completion_fim)
    throw badRequest(`The model '${model.id}' cannot fill in the middle. Choose one whose card has completion_fim.`);
  const request = toFimRequest(body);
  checkContext(model, request);
  return {
    kind: 'fim',
    model,
    request,
    prefix: '',
    showsThinking: false,
    guarded: undefined,
    complete: (signal) => completeFim.call(engine, request, signal),
    mend: () => undefined,
    stream: (signal) => streamFim.call(engine, request, signal),
  };
}

/** Engines know how long the prompt is; an answer that is too long by itself needs no engine. */
function checkContext({ id, max_context_length: holds }: Model, { maxTokens = 0 }: ChatRequest | FimRequest): void {
  if (maxTokens > holds)
    throw badRequest(`max_tokens ${maxTokens} is more than the ${holds} tokens that the context of '${id}' holds.`);
}

function findModel(models: ChatPorts['models'], { scope, setHeader }: Call, name: string): Model {
  const model = models.find(name, scope.workspace_id);
  if (!model) throw new ApiError(400, `Invalid model: ${name}`, { type: 'invalid_model', code: '1500' });
  for (const [header, value] of Object.entries(deprecationHeaders(model))) setHeader(header, value);
  return model;
}
