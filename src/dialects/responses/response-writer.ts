import { padChunk, type Shown, type StreamWriter, toShown } from '../../chat/index.ts';
import { hexId } from '../../kit/base/ids.ts';
import type { Delta, EngineToolCall, FinishReason, Logprobs } from '../../models/index.ts';
import type { OutputItem, ResponseBody } from '../schema/responses.ts';
import {
  beginResponse,
  callItem,
  type Echo,
  endResponse,
  isCutOff,
  messageItem,
  type ResponseHead,
  reasoningItem,
  toLogprobs,
  toUsage,
} from './build-response.ts';
import type { NamedTools } from './name-tools.ts';

type Settings = { echo: Echo; named: NamedTools; shown: Shown; isPadded: boolean };
type Kind = 'text' | 'thinking';
type Open = { kind: Kind; id: string; text: string; before: string; logprobs: NonNullable<Logprobs['logprobs']> };

/** Writes the events of one response. At most one item is open; its beginning is rendered once. */
export class ResponseWriter implements StreamWriter {
  readonly #response: ResponseBody;
  readonly #settings: Settings;
  #sequence = 0;
  #isStarted = false;
  #open: Open | undefined;
  #finish: FinishReason = 'stop';

  constructor(head: ResponseHead, settings: Settings) {
    this.#response = beginResponse(head, settings.echo);
    this.#settings = settings;
  }

  write(deltas: readonly Delta[]): string {
    let text = '';
    if (!this.#isStarted) text = this.#start();
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'text':
          text += this.#part('text', delta.text, delta);
          break;
        case 'thinking':
          if (this.#settings.shown.showsThinking) text += this.#part('thinking', delta.text, delta);
          break;
        case 'tool_call':
          text += this.#call(delta.call);
          break;
        case 'finish':
          this.#finish = delta.reason;
          if (delta.logprobs) this.#open?.logprobs.push(...delta.logprobs);
          break;
        case 'usage':
          this.#response.usage = toUsage(delta.usage);
      }
    }
    return text;
  }

  end(): string {
    let text = this.#isStarted ? '' : this.#start();
    // A response without any item would surprise every client.
    if (!this.#open && this.#response.output.length === 0) text += this.#begin('text');
    text += this.#close();
    endResponse(this.#response, this.#finish, this.#response.created_at);
    const type = this.#response.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
    return text + this.#event(type, { response: this.#response });
  }

  fail(error: unknown): string {
    const { message, status } = toShown(error);
    this.#response.status = 'failed';
    this.#response.error = { code: status === 429 ? 'rate_limit_exceeded' : 'server_error', message };
    return this.#event('response.failed', { response: this.#response });
  }

  #start(): string {
    this.#isStarted = true;
    const response = this.#response;
    const text = this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
    return this.#settings.shown.prefix === '' ? text : text + this.#part('text', this.#settings.shown.prefix, {});
  }

  #part(kind: Kind, text: string, { logprobs }: Logprobs): string {
    let written = '';
    if (this.#open?.kind !== kind) written = this.#close() + this.#begin(kind);
    const open = this.#open as Open;
    open.text += text;
    if (logprobs) open.logprobs.push(...logprobs);
    const body = `${this.#sequence++},${open.before}${JSON.stringify(text)}`;
    const rest = kind === 'text' ? `,"logprobs":${logprobs ? JSON.stringify(toLogprobs(logprobs)) : '[]'}` : '';
    const padding = this.#settings.isPadded ? `,"obfuscation":"${padChunk(Buffer.byteLength(text))}"` : '';
    return `${written}${kind === 'text' ? TEXT_DELTA : THOUGHT_DELTA}${body}${rest}${padding}}\n\n`;
  }

  #begin(kind: Kind): string {
    const id = hexId(kind === 'text' ? 'msg_' : 'rs_');
    const output_index = this.#response.output.length;
    const before = `"item_id":"${id}","output_index":${output_index},"content_index":0,"delta":`;
    this.#open = { kind, id, text: '', before, logprobs: [] };
    const item =
      kind === 'text'
        ? { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] }
        : { type: 'reasoning', id, summary: [], content: [], status: 'in_progress' };
    return (
      this.#event('response.output_item.added', { output_index, item }) +
      this.#event('response.content_part.added', {
        item_id: id,
        output_index,
        content_index: 0,
        part: partOf(kind, '', []),
      })
    );
  }

  #close(): string {
    const open = this.#open;
    if (!open) return '';
    this.#open = undefined;
    const { kind, id, text, logprobs } = open;
    const output_index = this.#response.output.length;
    const place = { item_id: id, output_index, content_index: 0 };
    const shown = toLogprobs(logprobs);
    const item = kind === 'text' ? messageItem(id, text, logprobs, isCutOff(this.#finish)) : reasoningItem(id, text);
    this.#response.output.push(item);
    return (
      (kind === 'text'
        ? this.#event('response.output_text.done', { ...place, text, logprobs: shown })
        : this.#event('response.reasoning_text.done', { ...place, text })) +
      this.#event('response.content_part.done', { ...place, part: partOf(kind, text, shown) }) +
      this.#event('response.output_item.done', { output_index, item })
    );
  }

  /** Calls arrive whole. */
  #call(call: EngineToolCall): string {
    const before = this.#close();
    const id = hexId('fc_');
    const output_index = this.#response.output.length;
    const item = callItem(id, call, this.#settings.named);
    this.#response.output.push(item as OutputItem);
    const place = { item_id: id, output_index };
    return (
      before +
      this.#event('response.output_item.added', {
        output_index,
        item: { ...item, arguments: '', status: 'in_progress' },
      }) +
      this.#event('response.function_call_arguments.delta', { ...place, delta: item.arguments }) +
      this.#event('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments }) +
      this.#event('response.output_item.done', { output_index, item })
    );
  }

  #event(type: string, fields: Record<string, unknown>): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields });
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}

const TEXT_DELTA = deltaStart('response.output_text.delta');
const THOUGHT_DELTA = deltaStart('response.reasoning_text.delta');

function deltaStart(type: string): string {
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":`;
}

function partOf(kind: Kind, text: string, logprobs: unknown[]) {
  return kind === 'text' ? { type: 'output_text', text, annotations: [], logprobs } : { type: 'reasoning_text', text };
}
