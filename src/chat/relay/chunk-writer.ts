import type { Delta, EngineToolCall, EngineUsage, Logprobs } from '../../models/index.ts';
import { usageInfo } from '../render-response.ts';
import { isPlain, padChunk, WIDE_FLOOR } from './pad-chunk.ts';
import { errorEvent, type StreamWriter } from './relay-stream.ts';

type DeltaOf<Kind> = Extract<Delta, { kind: Kind }>;
type Head = { id: string; created: number; model: string };
type Settings = {
  choices: number;
  prefix: string;
  showsThinking: boolean;
  /** Results for the first chunk. */
  guardrails?: readonly unknown[];
};

const DONE = 'data: [DONE]\n\n';
/** Of a chunk of text beside the text itself and the number of its choice. */
const TEXT_BYTES = ',"delta":{"content":""},"finish_reason":null}]'.length;

/** Writes the chunks of one completion as text for the wire. Their constant beginning is rendered once. */
export class ChunkWriter implements StreamWriter {
  readonly #before: string;
  readonly #settings: Settings;
  #isStarted = false;
  #unfinished: number;
  /** The last finish waits for the usage: both belong to the last chunk. */
  #last: string | undefined;

  constructor({ id, created, model }: Head, settings: Settings) {
    const head = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.#before = `data: ${head.slice(0, -1)},"choices":[{"index":`;
    this.#settings = settings;
    this.#unfinished = settings.choices;
  }

  /** All chunks of one batch, as one text. */
  write(deltas: readonly Delta[]): string {
    let text = '';
    if (!this.#isStarted) text = this.#start();
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'text':
          text += this.#text(delta);
          break;
        case 'thinking':
          if (this.#settings.showsThinking) text += this.#chunk(thinkingBody(delta), WIDE_FLOOR);
          break;
        case 'tool_call':
          text += this.#toolCall(delta.choice, delta.call);
          break;
        case 'finish':
          text += this.#finish(delta);
          break;
        case 'usage':
          text += this.#end(delta.usage);
      }
    }
    return text;
  }

  end(): string {
    return DONE;
  }

  fail(error: unknown): string {
    return errorEvent(error);
  }

  /** Nearly every chunk: what is plain needs neither escapes nor a count of its bytes. */
  #text(delta: DeltaOf<'text'>): string {
    const { choice, text } = delta;
    if (!isPlain(text) || delta.logprobs || delta.promptLogprobs)
      return this.#chunk(
        `${choice},"delta":{"content":${JSON.stringify(text)}},"finish_reason":null${logprobsOf(delta)}}]`,
      );
    const bytes = text.length + TEXT_BYTES + (choice < 10 ? 1 : String(choice).length);
    return `${this.#before}${choice},"delta":{"content":"${text}"},"finish_reason":null}],"p":"${padChunk(bytes)}"}\n\n`;
  }

  #start(): string {
    this.#isStarted = true;
    let text = '';
    for (let choice = 0; choice < this.#settings.choices; choice++) {
      const body = `${choice},"delta":{"role":"assistant","content":""},"finish_reason":null}]`;
      const { guardrails } = this.#settings;
      text += this.#chunk(choice === 0 && guardrails ? `${body},"guardrails":${JSON.stringify(guardrails)}` : body);
      if (this.#settings.prefix !== '')
        text += this.#chunk(
          `${choice},"delta":{"content":${JSON.stringify(this.#settings.prefix)}},"finish_reason":null}]`,
        );
    }
    return text;
  }

  #calls: number[] = [];

  #toolCall(choice: number, { id, name, arguments: given }: EngineToolCall): string {
    const index = this.#calls[choice] ?? 0;
    this.#calls[choice] = index + 1;
    const calls = JSON.stringify([{ id, type: 'function', function: { name, arguments: given }, index }]);
    return this.#chunk(`${choice},"delta":{"content":"","tool_calls":${calls}},"finish_reason":null}]`);
  }

  #finish(delta: DeltaOf<'finish'>): string {
    const shown = delta.reason === 'model_length' ? 'length' : delta.reason;
    const body = `${delta.choice},"delta":{"content":""},"finish_reason":"${shown}"${logprobsOf(delta)}}]`;
    this.#unfinished -= 1;
    if (this.#unfinished > 0) return this.#chunk(body);
    this.#last = body;
    return '';
  }

  #end(usage: EngineUsage): string {
    if (this.#last === undefined) return '';
    const body = `${this.#last},"usage":${JSON.stringify(usageInfo(usage))}`;
    this.#last = undefined;
    return this.#chunk(body);
  }

  #chunk(body: string, floor?: number): string {
    return `${this.#before}${body},"p":"${padChunk(Buffer.byteLength(body), floor)}"}\n\n`;
  }
}

/** The rest of a choice that has log probabilities; nothing for all others. */
function logprobsOf(delta: Logprobs): string {
  const { logprobs, promptLogprobs } = delta;
  if (!logprobs && !promptLogprobs) return '';
  const own = logprobs ? `,"logprobs":{"content":${JSON.stringify(logprobs)}}` : '';
  return promptLogprobs ? `${own},"prompt_logprobs":{"content":${JSON.stringify(promptLogprobs)}}` : own;
}

function thinkingBody(delta: DeltaOf<'thinking'>): string {
  const { choice, text } = delta;
  const thought = `{"type":"thinking","thinking":[{"type":"text","text":${JSON.stringify(text)}}]}`;
  return `${choice},"delta":{"content":[${thought}]},"finish_reason":null${logprobsOf(delta)}}]`;
}
