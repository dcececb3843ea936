import {
  type ChatCompletionRequest,
  type CompletionHead,
  type FIMCompletionRequest,
  padChunk,
  type Shown,
  type StreamWriter,
} from '../../chat/index.ts';
import type { Completion, Delta, EngineUsage } from '../../models/index.ts';
import type { OpenAiCompletion, OpenAiCompletionRequest } from '../schema/openai.ts';
import { openAiErrorEvent, type StreamOptions } from './chunk-writer.ts';
import { toOpenAiUsage, toReason } from './render-completion.ts';
import { addSampling } from './to-completion.ts';

/** For models that continue a text: prompt and suffix as they are. */
export function toFim(body: OpenAiCompletionRequest, prompt: string): FIMCompletionRequest {
  const { temperature, top_p, max_tokens, stop, seed } = body;
  return {
    model: body.model,
    prompt,
    suffix: body.suffix ?? '',
    stream: body.stream === true,
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { top_p }),
    ...(typeof max_tokens === 'number' && { max_tokens }),
    ...(stop !== null && stop !== undefined && { stop }),
    ...(typeof seed === 'number' && { random_seed: seed < 0 ? seed >>> 0 : seed }),
  };
}

/** For models that only chat: the prompt is what the user says. */
export function toChat(body: OpenAiCompletionRequest, prompt: string): ChatCompletionRequest {
  const completion: ChatCompletionRequest = {
    model: body.model,
    messages: [{ role: 'user', content: prompt }],
    stream: body.stream === true,
    tool_choice: 'auto',
    prediction: { type: 'content', content: '' },
    parallel_tool_calls: true,
    safe_prompt: false,
  };
  addSampling(completion, body);
  return completion;
}

export type PartOfCompletion = { completion: Completion; head: CompletionHead };

/** One completion for each prompt, as one. */
export function renderTextCompletion(parts: readonly PartOfCompletion[]): OpenAiCompletion {
  const [first] = parts;
  const usage: EngineUsage = { promptTokens: 0, completionTokens: 0 };
  const choices: OpenAiCompletion['choices'] = [];
  for (const { completion } of parts) {
    usage.promptTokens += completion.usage.promptTokens;
    usage.completionTokens += completion.usage.completionTokens;
    for (const { text, finish } of completion.choices)
      choices.push({ text, index: choices.length, logprobs: null, finish_reason: toReason(finish) });
  }
  return {
    id: `cmpl-${first?.head.id}`,
    object: 'text_completion',
    created: first?.head.created ?? 0,
    model: first?.head.model ?? '',
    choices,
    usage: toOpenAiUsage(usage),
    system_fingerprint: null,
  };
}

export class TextChunkWriter implements StreamWriter {
  readonly #head: OpenAiCompletion;
  readonly #options: StreamOptions;
  #usage: EngineUsage | undefined;

  constructor({ id, created, model }: CompletionHead, _shown: Shown, options: StreamOptions) {
    this.#head = { id: `cmpl-${id}`, object: 'text_completion', created, model, choices: [], system_fingerprint: null };
    this.#options = options;
  }

  write(deltas: readonly Delta[]): string {
    let written = '';
    for (const delta of deltas) {
      if (delta.kind === 'text') written += this.#chunk(delta.choice, delta.text, null);
      else if (delta.kind === 'finish') written += this.#chunk(delta.choice, '', toReason(delta.reason));
      else if (delta.kind === 'usage') this.#usage = delta.usage;
    }
    return written;
  }

  end(): string {
    const { includesUsage } = this.#options;
    const usage = includesUsage && this.#usage ? { usage: toOpenAiUsage(this.#usage) } : undefined;
    return `${usage ? `data: ${JSON.stringify({ ...this.#head, ...usage })}\n\n` : ''}data: [DONE]\n\n`;
  }

  fail(error: unknown): string {
    return openAiErrorEvent(error);
  }

  #chunk(index: number, text: string, finish_reason: string | null): string {
    const choices = [{ text, index, logprobs: null, finish_reason }];
    const padding = this.#options.isPadded ? { obfuscation: padChunk(Buffer.byteLength(text)) } : undefined;
    return `data: ${JSON.stringify({ ...this.#head, choices, ...padding })}\n\n`;
  }
}
