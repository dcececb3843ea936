import type { GuardrailResult, GuardrailService, ModerationResponse } from '../guardrails/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import type { Scope } from '../kit/http/index.ts';
import { type Call, type Meter, type Run, startRun, type UsageRecord } from '../metering/index.ts';
import type { ChatRequest, Completion, Model } from '../models/index.ts';
import { checkSchemas } from './check-schemas.ts';
import { checkModel, createChatJob, createFimJob, type Job, type JobPorts } from './create-job.ts';
import { chatErrors } from './errors.ts';
import { noteCompletion, noteDeltas, noteInput } from './note-content.ts';
import { ChunkWriter } from './relay/chunk-writer.ts';
import { openRelay, type StreamWriter } from './relay/relay-stream.ts';
import { renderResponse } from './render-response.ts';
import type { Message } from './schema/messages.ts';
import type { ChatModerationRequest } from './schema/moderations.ts';
import type { ChatCompletionRequest, FIMCompletionRequest } from './schema/requests.ts';
import type { ChatCompletionResponse } from './schema/responses.ts';
import { createTurn, type Turn } from './turn.ts';

/** What a budget holds back for a completion without `max_tokens`. */
const COMPLETION_TOKENS_HELD = 1000;

export type CompletionHead = { id: string; created: number; model: string };

/** What the request says about how its completion is shown. */
export type Shown = { choices: number; prefix: string; showsThinking: boolean; guardrails?: GuardrailResult[] };

/** Another form than that of chat completions, for other APIs over the same completions. */
export type Render<R> = (completion: Completion, head: CompletionHead, shown: Shown) => R;
export type CreateWriter = (head: CompletionHead, shown: Shown) => StreamWriter;

export type ChatService = {
  complete<R = ChatCompletionResponse>(call: Call, body: ChatCompletionRequest, render?: Render<R>): Promise<R>;
  /** Chunks as text for the wire, several at a time. Rejects when it fails before the first one. */
  stream(call: Call, body: ChatCompletionRequest, createWriter?: CreateWriter): Promise<AsyncIterable<string>>;
  completeFim<R = ChatCompletionResponse>(call: Call, body: FIMCompletionRequest, render?: Render<R>): Promise<R>;
  streamFim(call: Call, body: FIMCompletionRequest, createWriter?: CreateWriter): Promise<AsyncIterable<string>>;
  /** The tokens that the model would read, as its engine counts them, or by their length. Runs nothing. */
  countTokens(call: Call, body: ChatCompletionRequest): Promise<{ tokens: number; isEstimate: boolean }>;
  /** Admits one model turn of a conversation. Whatever can refuse it does so here. */
  openTurn(call: Call, body: ChatCompletionRequest): Promise<Turn>;
  /** Throws if the workspace has no model, and no prompt, of this name. */
  checkModel(scope: Scope, model: string): Promise<void>;
  /** Classifies the last message of each conversation. */
  moderate(call: Call, body: ChatModerationRequest): Promise<ModerationResponse>;
};

export type ChatPorts = JobPorts & {
  guardrails: GuardrailService;
  now: Clock;
  meter?: Meter;
  onUsage?: (record: UsageRecord) => void;
};

type CreateJob<B> = (ports: JobPorts, call: Call, body: B) => Job | Promise<Job>;

export function createChatService(ports: ChatPorts): ChatService {
  const { guardrails, now, meter, onUsage } = ports;
  const accounts = { now, meter, onUsage };
  const headOf = (model: Model, startedAt: number) => ({
    id: hexId(),
    created: Math.floor(startedAt / 1000),
    model: model.id,
  });

  /** A blocked input costs only the tokens of the guardrails themselves. */
  async function checkGuardrails(
    call: Call,
    guarded: NonNullable<Job['guarded']>,
    run: Run,
  ): Promise<GuardrailResult[]> {
    try {
      const results = await guardrails.check(call, guarded.guardrails, guarded.texts);
      run.verdict = 'passed';
      return results;
    } catch (error) {
      run.verdict = 'refused';
      throw run.fail(error);
    }
  }

  // Awaits only where something is pending: every await costs each request a turn of the event loop.
  async function complete<B, R>(call: Call, body: B, createJob: CreateJob<B>, render: Render<R>): Promise<R> {
    const created = createJob(ports, call, body);
    const job = created instanceof Promise ? await created : created;
    const started = startRun(accounts, call, costOf(job));
    const run = started instanceof Promise ? await started : started;
    if (run.content) noteInput(run.content, job.request);
    refuseBadSchemas(job, run);
    const results = job.guarded && (await checkGuardrails(call, job.guarded, run));
    try {
      const { signal } = call;
      const first = await job.complete(signal, run);
      const replacement = job.replaceInvalid(first, signal, run);
      const completion = replacement ? await replacement : first;
      const head = headOf(job.model, run.startedAt);
      run.responseId = head.id;
      if (run.content) noteCompletion(run.content, completion);
      run.settle(200);
      return render(completion, head, shownOf(job, results));
    } catch (error) {
      throw run.fail(error);
    }
  }

  async function stream<B>(
    call: Call,
    body: B,
    createJob: CreateJob<B>,
    createWriter: CreateWriter,
  ): Promise<AsyncIterable<string>> {
    const created = createJob(ports, call, body);
    const job = created instanceof Promise ? await created : created;
    const run = await startRun(accounts, call, costOf(job));
    if (run.content) noteInput(run.content, job.request);
    refuseBadSchemas(job, run);
    const results = job.guarded && (await checkGuardrails(call, job.guarded, run));
    const head = headOf(job.model, run.startedAt);
    run.responseId = head.id;
    const writer = createWriter(head, shownOf(job, results));
    const batches = job.stream(call.signal, run);
    const { content } = run;
    return openRelay(content ? noteDeltas(batches, content) : batches, { writer, run, signal: call.signal });
  }

  return {
    complete: (call, body, render = renderNative as never) => complete(call, body, createChatJob, render),
    stream: (call, body, createWriter = writeNative) => stream(call, body, createChatJob, createWriter),
    completeFim: (call, body, render = renderNative as never) => complete(call, body, createFimJob, render),
    streamFim: (call, body, createWriter = writeNative) => stream(call, body, createFimJob, createWriter),
    async countTokens(call, body) {
      const { model, request, promptTokens } = await createChatJob(ports, call, body);
      refuseBadSchemas({ request });
      const counted = await model.engine.countPrompt?.(request as ChatRequest, call.signal);
      return { tokens: counted ?? promptTokens, isEstimate: counted === undefined };
    },
    checkModel: (scope, model) => checkModel(ports, { scope }, model),
    async openTurn(call, body) {
      const job = await createChatJob(ports, call, body);
      const run = await startRun(accounts, call, costOf(job));
      const { content } = run;
      if (content) noteInput(content, job.request);
      refuseBadSchemas(job, run);
      const results = (job.guarded && (await checkGuardrails(call, job.guarded, run))) ?? null;
      const stream: Job['stream'] = content
        ? (signal, tally) => noteDeltas(job.stream(signal, tally), content)
        : job.stream;
      return createTurn({ ...job, stream, run, signal: call.signal, guardrails: results });
    },
    moderate: async (call, body) => guardrails.moderate(call, body.model, lastTexts(body)),
  };
}

function shownOf({ request, prefix, showsThinking }: Job, guardrails: GuardrailResult[] | undefined): Shown {
  const shown: Shown = { choices: request.choices, prefix, showsThinking };
  if (guardrails) shown.guardrails = guardrails;
  return shown;
}

const writeNative: CreateWriter = (head, shown) => new ChunkWriter(head, shown);

const renderNative: Render<ChatCompletionResponse> = (completion, head, shown) => {
  const response = renderResponse(completion, head, shown);
  return shown.guardrails ? { ...response, guardrails: shown.guardrails } : response;
};

/** After admission: a client beyond its rate limit causes no work. */
function refuseBadSchemas({ request }: Pick<Job, 'request'>, run?: Run): void {
  if (!('tools' in request)) return;
  try {
    checkSchemas(request);
  } catch (error) {
    throw run ? run.fail(error) : error;
  }
}

function costOf({ kind, model, asked, request, promptTokens }: Job) {
  const { maxTokens, choices } = request;
  return {
    kind,
    model: model.id,
    asked,
    estimatedTokens: promptTokens + (maxTokens ?? 0) * choices,
    heldTokens: promptTokens + (maxTokens ?? COMPLETION_TOKENS_HELD) * choices,
  };
}

function lastTexts({ input }: ChatModerationRequest): string[] {
  const conversations = Array.isArray(input[0]) ? (input as Message[][]) : [input as Message[]];
  return conversations.map((messages) => {
    const last = messages.at(-1);
    if (!last) throw chatErrors.messages_missing('There is nothing to moderate: send at least one message.');
    const { content } = last;
    if (content === null || content === undefined) return '';
    if (typeof content === 'string') return content;
    return content.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('\n');
  });
}
