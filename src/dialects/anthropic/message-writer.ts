import { type CompletionHead, type StreamWriter, toShown } from '../../chat/index.ts';
import type { Delta, EngineToolCall, EngineUsage, FinishReason } from '../../models/index.ts';
import { describeAnthropicError } from './render-error.ts';
import { beginMessage, toAnthropicUsage, toStopReason } from './render-message.ts';

type Kind = 'text' | 'thinking';

/** Writes the events of one message. At most one block is open. */
export class MessageWriter implements StreamWriter {
  readonly #head: CompletionHead;
  readonly #showsThinking: boolean;
  #isStarted = false;
  #open: Kind | undefined;
  #index = 0;
  #finish: FinishReason = 'stop';
  #usage: EngineUsage = { promptTokens: 0, completionTokens: 0 };

  constructor(head: CompletionHead, showsThinking: boolean) {
    this.#head = head;
    this.#showsThinking = showsThinking;
  }

  write(deltas: readonly Delta[]): string {
    let text = this.#start();
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'text':
          text += this.#part('text', `{"type":"text_delta","text":${JSON.stringify(delta.text)}}`);
          break;
        case 'thinking':
          if (this.#showsThinking)
            text += this.#part('thinking', `{"type":"thinking_delta","thinking":${JSON.stringify(delta.text)}}`);
          break;
        case 'tool_call':
          text += this.#call(delta.call);
          break;
        case 'finish':
          this.#finish = delta.reason;
          break;
        case 'usage':
          this.#usage = delta.usage;
      }
    }
    return text;
  }

  end(): string {
    const delta = { stop_reason: toStopReason(this.#finish), stop_sequence: null };
    const usage = toAnthropicUsage(this.#usage);
    return this.#start() + this.#close() + event('message_delta', { delta, usage }) + event('message_stop', {});
  }

  fail(error: unknown): string {
    return anthropicErrorEvent(error);
  }

  #start(): string {
    if (this.#isStarted) return '';
    this.#isStarted = true;
    return event('message_start', { message: beginMessage(this.#head) }) + event('ping', {});
  }

  #part(kind: Kind, delta: string): string {
    let before = '';
    if (this.#open !== kind) {
      before = this.#close();
      this.#open = kind;
      const content_block =
        kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
      before += event('content_block_start', { index: this.#index, content_block });
    }
    return `${before}${DELTA}${this.#index},"delta":${delta}}\n\n`;
  }

  #call({ id, name, arguments: given }: EngineToolCall): string {
    const before = this.#close();
    const index = this.#index++;
    const content_block = { type: 'tool_use', id: `toolu_${id}`, name, input: {} };
    return (
      before +
      event('content_block_start', { index, content_block }) +
      event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: given } }) +
      event('content_block_stop', { index })
    );
  }

  #close(): string {
    if (!this.#open) return '';
    const isThought = this.#open === 'thinking';
    this.#open = undefined;
    const index = this.#index++;
    const signed = isThought
      ? event('content_block_delta', { index, delta: { type: 'signature_delta', signature: '' } })
      : '';
    return signed + event('content_block_stop', { index });
  }
}

const DELTA = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';

function event(type: string, fields: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** The last event of a stream that failed. */
export function anthropicErrorEvent(error: unknown): string {
  return event('error', { error: describeAnthropicError(toShown(error)).error });
}
