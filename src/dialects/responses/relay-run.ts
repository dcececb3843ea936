import type { StreamEvent } from '../../conversations/index.ts';
import type { SseEvent } from '../../kit/http/index.ts';
import type { Annotation } from '../schema/response-items.ts';
import type { OutputItem, ResponseBody } from '../schema/responses.ts';
import { callItem } from './build-response.ts';
import {
  annotate,
  labelsOf,
  message,
  reasoning,
  reasoningId,
  type ServerLabel,
  toolItem,
  toResponsesUsage,
} from './from-entries.ts';
import type { NamedTools } from './name-tools.ts';

type Open = { kind: 'text' | 'thinking'; id: string; text: string; annotations: Annotation[] };
type Fields = Record<string, unknown>;

/**
 * The events of a run as those of its response. The same run gives the same events with the same numbers, so that a client
 * can go on after the last number that it has seen.
 */
export async function* relayRun(
  events: AsyncIterable<SseEvent>,
  response: ResponseBody,
  named: NamedTools,
  after = -1,
): AsyncGenerator<SseEvent> {
  const relay = new RunRelay(response, named);
  for await (const { data } of events)
    for (const event of relay.take(data as StreamEvent))
      if ((event.data as { sequence_number: number }).sequence_number > after) yield event;
}

class RunRelay {
  readonly #response: ResponseBody;
  readonly #named: NamedTools;
  readonly #labels: readonly ServerLabel[];
  readonly #given = new Map<string, { name: string; arguments: string; index: number }>();
  #sequence = 0;
  #open: Open | undefined;

  constructor(response: ResponseBody, named: NamedTools) {
    this.#response = { ...response, status: 'in_progress', output: [], usage: null, error: null, completed_at: null };
    this.#named = named;
    this.#labels = labelsOf(response.tools);
  }

  *take(event: StreamEvent): Generator<SseEvent> {
    const response = this.#response;
    switch (event.type) {
      case 'conversation.response.started':
        yield this.#event('response.created', { response: { ...response } });
        yield this.#event('response.in_progress', { response: { ...response } });
        break;
      case 'message.output.delta':
        yield* this.#content(event.id, event.content);
        break;
      case 'function.call.delta':
        yield* this.#call(event);
        break;
      case 'tool.execution.started': {
        yield* this.#close();
        const output_index = response.output.length;
        const { id, name, arguments: given } = event;
        const item = toolItem(id, name, given, undefined, this.#labels);
        response.output.push(item);
        this.#given.set(id, { name, arguments: given, index: output_index });
        yield this.#event('response.output_item.added', { output_index, item: beginItem(item) });
        for (const [type, fields] of startOf(item)) yield this.#event(type, { output_index, item_id: id, ...fields });
        break;
      }
      case 'tool.execution.done': {
        const begun = this.#given.get(event.id);
        if (!begun) break;
        const item = toolItem(event.id, begun.name, begun.arguments, event.info ?? {}, this.#labels);
        const output_index = begun.index;
        response.output[output_index] = item;
        const end = item.type === 'mcp_call' && item.status === 'failed' ? 'failed' : 'completed';
        yield this.#event(`response.${item.type}.${end}`, { output_index, item_id: event.id });
        yield this.#event('response.output_item.done', { output_index, item });
        break;
      }
      case 'conversation.response.done':
        yield* this.#close();
        response.status = 'completed';
        response.completed_at = Math.floor(Date.parse(event.created_at ?? '') / 1000) || response.created_at;
        response.usage = toResponsesUsage(event.usage);
        yield this.#event('response.completed', { response });
        break;
      case 'conversation.response.error':
        yield* this.#close();
        response.status = 'failed';
        response.error = { code: event.code === 429 ? 'rate_limit_exceeded' : 'server_error', message: event.message };
        yield this.#event('response.failed', { response });
    }
  }

  *#content(id: string, content: Extract<StreamEvent, { type: 'message.output.delta' }>['content']) {
    if (typeof content === 'string') yield* this.#part('text', id, content);
    else if (content.type === 'thinking')
      yield* this.#part(
        'thinking',
        reasoningId(id),
        content.thinking.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      );
    else if (content.type === 'text') yield* this.#part('text', id, content.text);
    else if (this.#open) this.#open.annotations.push(...annotate(content, this.#open.text.length));
  }

  *#part(kind: Open['kind'], id: string, delta: string): Generator<SseEvent> {
    if (this.#open?.id !== id) {
      yield* this.#close();
      this.#open = { kind, id, text: '', annotations: [] };
      const item =
        kind === 'text'
          ? { ...message(id, '', [], 'in_progress'), content: [] }
          : { type: 'reasoning', id, summary: [], content: [], status: 'in_progress' };
      yield this.#event('response.output_item.added', { output_index: this.#index(), item });
      yield this.#event('response.content_part.added', { ...this.#place(id), part: partOf(kind, '', []) });
    }
    const open = this.#open as Open;
    open.text += delta;
    yield kind === 'text'
      ? this.#event('response.output_text.delta', { ...this.#place(id), delta, logprobs: [] })
      : this.#event('response.reasoning_text.delta', { ...this.#place(id), delta });
  }

  *#close(): Generator<SseEvent> {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { kind, id, text, annotations } = open;
    const place = this.#place(id);
    const item = kind === 'text' ? message(id, text, annotations, 'completed') : reasoning(id, text);
    yield kind === 'text'
      ? this.#event('response.output_text.done', { ...place, text, logprobs: [] })
      : this.#event('response.reasoning_text.done', { ...place, text });
    yield this.#event('response.content_part.done', { ...place, part: partOf(kind, text, annotations) });
    yield this.#event('response.output_item.done', { output_index: this.#index(), item });
    this.#response.output.push(item);
  }

  *#call(event: Extract<StreamEvent, { type: 'function.call.delta' }>): Generator<SseEvent> {
    yield* this.#close();
    const { id, tool_call_id, name, arguments: given } = event;
    const item = callItem(id, { id: tool_call_id, name, arguments: given }, this.#named);
    const output_index = this.#index();
    const place = { item_id: id, output_index };
    const begun = { ...item, arguments: '', status: 'in_progress' };
    yield this.#event('response.output_item.added', { output_index, item: begun });
    yield this.#event('response.function_call_arguments.delta', { ...place, delta: given });
    yield this.#event('response.function_call_arguments.done', { ...place, name: item.name, arguments: given });
    yield this.#event('response.output_item.done', { output_index, item });
    this.#response.output.push(item as OutputItem);
  }

  #index(): number {
    return this.#response.output.length;
  }

  #place(id: string) {
    return { item_id: id, output_index: this.#index(), content_index: 0 };
  }

  #event(type: string, fields: Fields): SseEvent {
    return { event: type, data: { type, sequence_number: this.#sequence++, ...fields } };
  }
}

/** What a tool is given comes in events of its own. */
function beginItem(item: OutputItem): OutputItem {
  if (item.type === 'mcp_call') return { ...item, arguments: '' };
  return item.type === 'code_interpreter_call' ? { ...item, code: '' } : item;
}

function startOf(item: OutputItem): [string, Fields][] {
  switch (item.type) {
    case 'web_search_call':
      return [
        ['response.web_search_call.in_progress', {}],
        ['response.web_search_call.searching', {}],
      ];
    case 'file_search_call':
      return [
        ['response.file_search_call.in_progress', {}],
        ['response.file_search_call.searching', {}],
      ];
    case 'code_interpreter_call':
      return [
        ['response.code_interpreter_call.in_progress', {}],
        ['response.code_interpreter_call_code.delta', { delta: item.code }],
        ['response.code_interpreter_call_code.done', { code: item.code }],
        ['response.code_interpreter_call.interpreting', {}],
      ];
    case 'mcp_call':
      return [
        ['response.mcp_call.in_progress', {}],
        ['response.mcp_call_arguments.delta', { delta: item.arguments }],
        ['response.mcp_call_arguments.done', { arguments: item.arguments }],
      ];
    case 'image_generation_call':
      return [
        ['response.image_generation_call.in_progress', {}],
        ['response.image_generation_call.generating', {}],
      ];
    default:
      return [];
  }
}

function partOf(kind: Open['kind'], text: string, annotations: Annotation[]) {
  return kind === 'text' ? { type: 'output_text', text, annotations, logprobs: [] } : { type: 'reasoning_text', text };
}
