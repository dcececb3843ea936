import type { ConversationService, Entry, Reply, ResponseRow } from '../../conversations/index.ts';
import { hexId } from '../../kit/base/ids.ts';
import type { RequestContext, Scope, SseEvent } from '../../kit/http/index.ts';
import { dialectErrors } from '../errors.ts';
import { type Asked, askedOf, beginResponse, type Echo, echoOf } from '../responses/build-response.ts';
import { labelsOf, messageId, toInputItems, toItems, toResponsesUsage } from '../responses/from-entries.ts';
import { type NamedTools, nameTools } from '../responses/name-tools.ts';
import { relayRun } from '../responses/relay-run.ts';
import { promptMetadata, toCompletion } from '../responses/to-completion.ts';
import { isOfClient, type ReferredEntries, toEntries, toReferred, toSettings } from '../responses/to-entries.ts';
import type {
  AnyTool,
  InputItemsQuery,
  OpenAiCountRequest,
  OpenAiResponseQuery,
  OpenAiResponseRequest,
} from '../schema/openai-responses.ts';
import type { CreateResponseRequest, ResponseBody } from '../schema/responses.ts';
import { type CompletionPorts, completeResponse, countTokens, streamResponse } from './responses.ts';

type Call = Pick<RequestContext, 'scope' | 'requestId' | 'signal' | 'setHeader' | 'idempotencyKey' | 'trace'>;
/** What is kept of a request: what its response repeats, and what continuing it needs. */
type Remembered = { asked: Asked; user: string | null; model: string; system: string };
/** A response whole, or its events: as objects, or encoded already. */
export type ResponseReply = { body: ResponseBody } | { events: AsyncIterable<SseEvent | string> };

const HINTS = [
  ...(['user', 'safety_identifier', 'service_tier', 'prompt_cache_retention', 'include', 'client_metadata'] as const),
];
const PLAIN = new Set(['message', 'function_call', 'function_call_output', 'reasoning']);
const MILLISECONDS = 1000;

export type OpenAiResponseService = ReturnType<typeof createOpenAiResponseService>;

export type OpenAiResponsePorts = CompletionPorts & { conversations: Pick<ConversationService, 'responses'> };

/** Responses of OpenAI's API: kept as turns of conversations, unless `store` is false. */
export function createOpenAiResponseService(ports: OpenAiResponsePorts) {
  const { responses } = ports.conversations;

  async function find(scope: Scope, id: string): Promise<ResponseRow> {
    const row = await responses.find(scope, id);
    if (!row) throw dialectErrors.response_not_found(id);
    return row;
  }

  async function findPrevious(scope: Scope, id: string): Promise<ResponseRow> {
    const row = await responses.find(scope, id);
    if (!row) throw dialectErrors.previous_response_not_found(id);
    if (row.status === 'in_progress') throw dialectErrors.response_in_progress(id);
    return row;
  }

  async function findReferred(scope: Scope, input: OpenAiResponseRequest['input']): Promise<ReferredEntries> {
    const ids = referencesIn(input);
    if (ids.length === 0) return new Map();
    // The thoughts of a message have its id with another prefix.
    const found = await responses.entriesById(scope, [...new Set(ids.map(messageId))]);
    return new Map(
      ids.map((id) => {
        const stored = found.get(messageId(id));
        if (!stored) throw dialectErrors.input_item_not_found(id);
        return [id, id === stored.entry.id ? toReferred(stored) : null];
      }),
    );
  }

  async function createKept(call: Call, body: OpenAiResponseRequest, store: boolean): Promise<ResponseReply> {
    const { scope } = call;
    const previous = body.previous_response_id ? await findPrevious(scope, body.previous_response_id) : undefined;
    const { entries: inputs, system: said } = toEntries(body.input, await findReferred(scope, body.input));
    const before = previous && (previous.request as Remembered).system;
    const system = [before, said].filter(Boolean).join('\n\n');
    const { settings, named } = toSettings(body, system);
    const background = body.background ?? false;
    const user = body.user ?? null;
    const echo: Echo = { ...echoOf(body), store, background, user };
    const remembered: Remembered = { asked: askedOf(body), user, model: body.model, system };
    const { id, reply } = await responses.create(
      {
        scope,
        requestId: call.requestId,
        signal: call.signal,
        setHeader: (name, value) => call.setHeader(name, value),
        idempotencyKey: store ? call.idempotencyKey : undefined,
        lastEventId: undefined,
        trace: call.trace,
      },
      {
        after: previous
          ? { conversationId: previous.conversation_id, entries: previous.output_to ?? previous.output_from }
          : null,
        branches: !store,
        settings,
        metadata: body.metadata ? promptMetadata(body.model, body.metadata) : null,
        inputs,
        stream: body.stream ?? false,
        store,
        parallelToolCalls: body.parallel_tool_calls ?? true,
        response: { previous_id: previous?.id ?? null, background, request: remembered },
      },
    );
    if (background) return answerBackground(call, id, body.stream ?? false, named);
    return answer(reply, { id: id || hexId('resp_'), model: body.model, echo, named });
  }

  async function answerBackground(call: Call, id: string, streams: boolean, named: NamedTools): Promise<ResponseReply> {
    const row = await find(call.scope, id);
    const events = streams ? await responses.events(row, call.signal) : undefined;
    if (events) return { events: relayRun(events, bodyOf(row), named) };
    // The same whether it has begun, or even ended, by now: the client reads on by the id.
    return { body: { ...bodyOf(row), status: 'queued', usage: null, completed_at: null, error: null } };
  }

  function answer(
    reply: Reply,
    { id, model, echo, named }: { id: string; model: string; echo: Echo; named: NamedTools },
  ): ResponseReply {
    const begun = beginResponse({ id, created: createdOf(id), model }, echo);
    if (!('outputs' in reply)) return { events: relayRun(reply, begun, named) };
    begun.output = toItems(reply.outputs as never, named, labelsOf(begun.tools));
    begun.usage = toResponsesUsage(reply.usage as never);
    begun.status = 'completed';
    const last = reply.outputs.at(-1) as { completed_at?: string | null } | undefined;
    begun.completed_at = Math.floor(Date.parse(last?.completed_at ?? '') / MILLISECONDS) || begun.created_at;
    return { body: begun };
  }

  async function show(row: ResponseRow): Promise<ResponseBody> {
    const { outputs } = await responses.entries(row);
    const body = bodyOf(row);
    body.output = toItems(outputs, namedOf(row), labelsOf(body.tools));
    return body;
  }

  return {
    async create(call: Call, body: OpenAiResponseRequest): Promise<ResponseReply> {
      const store = body.store ?? true;
      if (body.background && !store)
        throw dialectErrors.option_unsupported('background', 'a response in the background must be stored.');
      nameHints(call, body);
      const isStateless =
        !store && !body.previous_response_id && (body.tools ?? []).every(isOfClient) && isPlain(body.input);
      if (!isStateless) return createKept(call, body, store);
      const stateless = body as unknown as CreateResponseRequest;
      const isPadded = body.stream_options?.include_obfuscation ?? true;
      return body.stream
        ? { events: await streamResponse(ports, call, stateless, isPadded) }
        : { body: await completeResponse(ports, call, stateless) };
    },

    async get(call: Call, id: string, query: OpenAiResponseQuery): Promise<ResponseReply> {
      const row = await find(call.scope, id);
      if (!query.stream) return { body: await show(row) };
      const events = await responses.events(row, call.signal);
      if (!events) throw dialectErrors.option_unsupported('stream', 'the events of a response are kept for a day.');
      return { events: relayRun(events, bodyOf(row), namedOf(row), query.starting_after) };
    },

    async remove(scope: Scope, id: string) {
      await responses.remove(scope, await find(scope, id));
      return { id, object: 'response', deleted: true as const };
    },

    async cancel(scope: Scope, id: string): Promise<ResponseBody> {
      const row = await find(scope, id);
      if (!row.background) throw dialectErrors.response_not_cancellable();
      const isCancelled = await responses.cancel(row);
      const now = await find(scope, id);
      // Cancelling twice changes nothing.
      if (!isCancelled && now.status !== 'cancelled') throw dialectErrors.response_not_cancellable();
      return show(now);
    },

    async inputItems(scope: Scope, id: string, { after, limit, order }: InputItemsQuery) {
      const row = await find(scope, id);
      const { inputs } = await responses.entries(row);
      const items = toInputItems(inputs, namedOf(row), labelsOf(echoOfRow(row).tools));
      if (order === 'desc') items.reverse();
      const from = after === undefined ? 0 : items.findIndex((item) => item.id === after) + 1;
      const data = items.slice(from, from + limit);
      return {
        object: 'list' as const,
        data,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: from + data.length < items.length,
      };
    },

    async countTokens(call: Call, body: OpenAiCountRequest): Promise<number> {
      const { scope } = call;
      const previous = body.previous_response_id ? await findPrevious(scope, body.previous_response_id) : undefined;
      const before = previous ? await responses.entries({ ...previous, input_from: 0 }) : { inputs: [], outputs: [] };
      const { entries, system } = toEntries(body.input, await findReferred(scope, body.input));
      const said = [previous && (previous.request as Remembered).system, system].filter(Boolean).join('\n\n');
      const named = nameTools((body.tools ?? []).filter(isOfClient));
      const all = [...before.inputs, ...before.outputs, ...(entries as Entry[])];
      return countTokens(
        ports,
        call,
        toCompletion({
          ...(body as unknown as CreateResponseRequest),
          tools: (body.tools ?? []).filter(isOfClient),
          instructions: [body.instructions, said].filter(Boolean).join('\n\n') || null,
          input: toInputItems(all, named, []).map(toCountable) as CreateResponseRequest['input'],
        }).completion,
      );
    },
  };
}

/** Without items that only kept responses can have. */
function isPlain(input: OpenAiResponseRequest['input']): boolean {
  return typeof input === 'string' || input.every(({ type }) => PLAIN.has(type));
}

/** What a tool of the server did is read by the model as text. */
function toCountable(item: { type: string }): unknown {
  return PLAIN.has(item.type) ? item : { type: 'message', role: 'assistant', content: JSON.stringify(item) };
}

function referencesIn(input: OpenAiResponseRequest['input']): string[] {
  if (typeof input === 'string') return [];
  return input.flatMap((item) => (item.type === 'item_reference' ? [item.id] : []));
}

function bodyOf(row: ResponseRow): ResponseBody {
  const { model } = row.request as Remembered;
  const body = beginResponse({ id: row.id, created: createdOf(row.id), model }, echoOfRow(row));
  body.status = row.status;
  body.usage = row.usage && toResponsesUsage(row.usage);
  body.completed_at =
    row.status === 'completed' && row.completed_ms !== null ? Math.floor(row.completed_ms / MILLISECONDS) : null;
  if (row.error && row.status === 'failed')
    body.error = {
      code: row.error.status === 429 ? 'rate_limit_exceeded' : 'server_error',
      message: row.error.message,
    };
  return body;
}

/** Older programs kept the echo itself. */
function echoOfRow({ request, background }: ResponseRow): Echo {
  const { asked, user, echo } = request as Remembered & { echo?: Echo };
  return echo ?? { ...echoOf(asked), store: true, background, user };
}

function namedOf(row: ResponseRow): NamedTools {
  return nameTools((echoOfRow(row).tools as AnyTool[]).filter(isOfClient));
}

/** Ids begin with the time in milliseconds. */
function createdOf(id: string): number {
  return Math.floor(Number.parseInt(id.slice('resp_'.length, 'resp_'.length + 12), 16) / MILLISECONDS);
}

function nameHints({ setHeader }: Call, body: OpenAiResponseRequest): void {
  const named: string[] = HINTS.filter((hint) => body[hint] !== undefined && body[hint] !== null);
  if (body.truncation === 'auto') named.push('truncation');
  if (named.length > 0) setHeader('tramontane-ignored', named.join(', '));
}
