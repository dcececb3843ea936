import type { Clock } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { ApiError, badRequest } from '../kit/http/index.ts';
import { type Call, type Meter, startRun, type UsageRecord } from '../metering/index.ts';
import {
  type ChatRequest,
  type Completion,
  type Delta,
  deprecationHeaders,
  type FimRequest,
  type Model,
  type ModelService,
} from '../models/index.ts';
import type { PromptService } from '../prompts/index.ts';
import { applyPrompt } from './apply-prompt.ts';
import { completeChecked } from './complete-checked.ts';
import { estimatePrompt } from './estimate-tokens.ts';
import { ChunkWriter } from './relay/chunk-writer.ts';
import { openRelay } from './relay/relay-stream.ts';
import { renderAnswer } from './render-answer.ts';
import type { ChatCompletionRequest, FIMCompletionRequest } from './schema/requests.ts';
import type { ChatCompletionResponse } from './schema/responses.ts';
import { streamChecked } from './stream-checked.ts';
import { toChatRequest, toFimRequest } from './to-engine-request.ts';

export type ChatService = {
  complete(call: Call, body: ChatCompletionRequest): Promise<ChatCompletionResponse>;
  /** Chunks as text for the wire, several at a time; rejects when it fails before the first. */
  stream(call: Call, body: ChatCompletionRequest): Promise<AsyncIterable<string>>;
  completeFim(call: Call, body: FIMCompletionRequest): Promise<ChatCompletionResponse>;
  streamFim(call: Call, body: FIMCompletionRequest): Promise<AsyncIterable<string>>;
};

export type ChatPorts = {
  models: Pick<ModelService, 'find'>;
  /** Where a model named `prompt:…` is looked up. */
  prompts?: Pick<PromptService, 'fill'>;
  now: Clock;
  meter?: Meter;
  onUsage?: (record: UsageRecord) => void;
};

/** A request that passed every rule, and the two ways to have it answered. */
type Job = {
  kind: 'chat' | 'fim';
  model: Model;
  request: ChatRequest | FimRequest;
  prefix: string;
  showsThinking: boolean;
  complete(signal: AbortSignal): Promise<Completion>;
  stream(signal: AbortSignal): AsyncIterable<Delta[]>;
};

export function createChatService({ models, prompts, now, meter, onUsage }: ChatPorts): ChatService {
  const accounts = { now, meter, onUsage };
  const headOf = (model: Model, startedAt: number) => ({
    id: hexId(),
    created: Math.floor(startedAt / 1000),
    model: model.id,
  });

  async function complete(call: Call, job: Job): Promise<ChatCompletionResponse> {
    const promptTokens = estimatePrompt(job.request);
    const run = await startRun(accounts, call, costOf(job, promptTokens));
    try {
      const completion = await job.complete(call.signal);
      run.settle(200, completion.usage);
      return renderAnswer(completion, headOf(job.model, run.startedAt), job);
    } catch (error) {
      throw run.fail(error, { promptTokens, completionTokens: 0 });
    }
  }

  async function stream(call: Call, job: Job): Promise<AsyncIterable<string>> {
    const promptTokens = estimatePrompt(job.request);
    const run = await startRun(accounts, call, costOf(job, promptTokens));
    const { prefix, showsThinking } = job;
    const { choices } = job.request;
    const writer = new ChunkWriter(headOf(job.model, run.startedAt), { choices, prefix, showsThinking });
    return openRelay(job.stream(call.signal), { writer, run, signal: call.signal, promptTokens });
  }

  return {
    complete: async (call, body) => complete(call, chatJob(models, call, await applyPrompt(prompts, call, body))),
    stream: async (call, body) => stream(call, chatJob(models, call, await applyPrompt(prompts, call, body))),
    completeFim: async (call, body) => complete(call, fimJob(models, call, body)),
    streamFim: async (call, body) => stream(call, fimJob(models, call, body)),
  };
}

function costOf({ kind, model, request }: Job, promptTokens: number) {
  return { kind, model: model.id, estimatedTokens: promptTokens + (request.maxTokens ?? 0) * request.choices };
}

function chatJob(models: ChatPorts['models'], call: Call, body: ChatCompletionRequest): Job {
  const model = findModel(models, call, body.model);
  if (!model.capabilities.completion_chat) throw badRequest(`The model '${model.id}' cannot complete chats.`);
  const request = toChatRequest(body);
  if (request.temperature === undefined && model.temperature !== null) request.temperature = model.temperature;
  const last = request.messages.at(-1);
  return {
    kind: 'chat',
    model,
    request,
    prefix: last?.role === 'assistant' && last.prefix ? last.content : '',
    showsThinking: request.reasoningEffort !== 'none',
    complete: (signal) => completeChecked(model.engine, request, signal),
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
  return {
    kind: 'fim',
    model,
    request,
    prefix: '',
    showsThinking: false,
    complete: (signal) => completeFim.call(engine, request, signal),
    stream: (signal) => streamFim.call(engine, request, signal),
  };
}

function findModel(models: ChatPorts['models'], { scope, setHeader }: Call, name: string): Model {
  const model = models.find(name, scope.workspace_id);
  if (!model) throw new ApiError(400, `Invalid model: ${name}`, { type: 'invalid_model', code: '1500' });
  for (const [header, value] of Object.entries(deprecationHeaders(model))) setHeader(header, value);
  return model;
}
