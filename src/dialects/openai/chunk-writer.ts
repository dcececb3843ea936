import { type CompletionHead, isPlain, padChunk, type Shown, type StreamWriter, toShown } from '../../chat/index.ts';
import type { Delta, EngineToolCall, Logprobs } from '../../models/index.ts';
import { toOpenAiCall, toOpenAiLogprobs, toOpenAiUsage, toReason } from './render-completion.ts';
import { describeRefusal } from './render-error.ts';

export type StreamOptions = { includesUsage: boolean; isPadded: boolean };

/** Writes the chunks of one completion as OpenAI does. Their constant parts are rendered once. */
export class OpenAiChunkWriter implements StreamWriter {
  readonly #before: string;
  readonly #after: string;
  readonly #shown: Shown;
  readonly #options: StreamOptions;
  #isStarted = false;
  #usage = '';
  readonly #calls: number[] = [];

  constructor({ id, created, model }: CompletionHead, shown: Shown, options: StreamOptions) {
    const head = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created, model };
    const fixed = JSON.stringify({ ...head, service_tier: 'default', system_fingerprint: null });
    this.#before = `data: ${fixed.slice(0, -1)},"choices":[`;
    this.#after = options.includesUsage ? '],"usage":null' : ']';
    this.#shown = shown;
    this.#options = options;
  }

  write(deltas: readonly Delta[]): string {
    let text = '';
    if (!this.#isStarted) text = this.#start();
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'text':
          text += this.#text(delta);
          break;
        case 'thinking':
          if (this.#shown.showsThinking)
            text += this.#chunk(delta.choice, `{"reasoning_content":${JSON.stringify(delta.text)}}`, 'null', delta);
          break;
        case 'tool_call':
          text += this.#chunk(delta.choice, this.#call(delta.choice, delta.call), 'null', {});
          break;
        case 'finish':
          text += this.#chunk(delta.choice, '{}', `"${toReason(delta.reason)}"`, delta);
          break;
        case 'usage':
          this.#usage = JSON.stringify(toOpenAiUsage(delta.usage));
      }
    }
    return text;
  }

  end(): string {
    const { includesUsage } = this.#options;
    return includesUsage ? `${this.#before}],"usage":${this.#usage || 'null'}}\n\n${DONE}` : DONE;
  }

  fail(error: unknown): string {
    return openAiErrorEvent(error);
  }

  /** Nearly every chunk: what is plain needs neither escapes nor a count of its bytes. */
  #text(delta: Extract<Delta, { kind: 'text' }>): string {
    const { choice, text } = delta;
    if (delta.logprobs || !isPlain(text))
      return this.#chunk(choice, `{"content":${JSON.stringify(text)}}`, 'null', delta);
    const body = `{"index":${choice},"delta":{"content":"${text}"},"logprobs":null,"finish_reason":null}${this.#after}`;
    return this.#finished(body, body.length);
  }

  #start(): string {
    this.#isStarted = true;
    const { choices, prefix, guardrails } = this.#shown;
    let text = '';
    for (let choice = 0; choice < choices; choice++) {
      const found = choice === 0 && guardrails ? `,"guardrails":${JSON.stringify(guardrails)}` : '';
      text += this.#chunk(choice, '{"role":"assistant","content":"","refusal":null}', 'null', {}, found);
      if (prefix !== '') text += this.#chunk(choice, `{"content":${JSON.stringify(prefix)}}`, 'null', {});
    }
    return text;
  }

  #call(choice: number, call: EngineToolCall): string {
    const index = this.#calls[choice] ?? 0;
    this.#calls[choice] = index + 1;
    return `{"tool_calls":${JSON.stringify([{ index, ...toOpenAiCall(call) }])}}`;
  }

  #chunk(choice: number, delta: string, finish: string, { logprobs }: Logprobs, rest = ''): string {
    const shown = logprobs ? JSON.stringify(toOpenAiLogprobs(logprobs)) : 'null';
    const body = `{"index":${choice},"delta":${delta},"logprobs":${shown},"finish_reason":${finish}}${this.#after}${rest}`;
    return this.#finished(body, Buffer.byteLength(body));
  }

  #finished(body: string, bytes: number): string {
    // The length of a chunk must not reveal its token.
    const padding = this.#options.isPadded ? `,"obfuscation":"${padChunk(bytes)}"` : '';
    return `${this.#before}${body}${padding}}\n\n`;
  }
}

const DONE = 'data: [DONE]\n\n';

/** The last event of a stream that failed. */
export function openAiErrorEvent(error: unknown): string {
  return `data: ${JSON.stringify({ error: describeRefusal(toShown(error)).shown })}\n\n`;
}
