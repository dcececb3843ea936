import { engineErrors } from '../errors.ts';
import { ANSWER_LIMITS } from './limits.ts';
import { parseObject } from './parse-json.ts';
import type { WireChoice, WireMessage, WireResponse } from './response-parts.ts';

const KEY = '"content":';
const LEARNT_CHARACTERS_MAX = 4096;
/** Some servers put something new into every chunk: after so many attempts, theirs are only parsed. */
const LESSONS_MAX = 8;
/** A longer content with escapes is parsed with its chunk: looking at it first would not pay. */
const ESCAPED_CHARACTERS_MAX = 256;
/** What cannot stand in a JSON string as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a string that is valid.
const SPECIAL = /["\\\u0000-\u001f]/;
/** The inside of a JSON string with escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a string that is valid.
const ESCAPED = /^(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/;

/** The text around the content of a chunk, and what that chunk was parsed to. */
type Template = { before: string; after: string; response: WireResponse; message: WireMessage; onlyChoice: number };

/**
 * Parses the chunks of one stream. Most differ in nothing but their content: such a chunk is the last one with another
 * content, and is not parsed again. So a returned object is valid until the next call.
 */
export class ChunkParser {
  #template: Template | undefined;
  #lessons = 0;
  /** The choice to which the chunk parsed last adds its content, if it does nothing else; -1 otherwise. */
  onlyChoice = -1;
  content = '';

  parse(data: string): WireResponse {
    const known = this.#template;
    if (known) {
      const { before, after } = known;
      const end = data.length - after.length;
      // Comparing slices is several times faster than startsWith and endsWith.
      if (end >= before.length && data.slice(0, before.length) === before && data.slice(end) === after) {
        const content = data.slice(before.length, end);
        const isPlain = !SPECIAL.test(content);
        if (isPlain || (content.length <= ESCAPED_CHARACTERS_MAX && ESCAPED.test(content))) {
          this.content = isPlain ? content : (JSON.parse(`"${content}"`) as string);
          known.message.content = this.content;
          this.onlyChoice = known.onlyChoice;
          return known.response;
        }
      }
    }
    this.onlyChoice = -1;
    const response = parseObject(data, ANSWER_LIMITS.completion.json);
    if (!response) throw engineErrors.upstream_interrupted();
    if (this.#lessons < LESSONS_MAX && data.length <= LEARNT_CHARACTERS_MAX) this.#learn(data, response);
    return response;
  }

  /** Only from a chunk with one place for content, so that it is certain which text becomes which value. */
  #learn(data: string, response: WireResponse): void {
    const at = data.indexOf(KEY);
    if (at === -1 || data.indexOf(KEY, at + 1) !== -1) return;
    const message = Array.isArray(response.choices) ? response.choices[0]?.delta : undefined;
    const content: unknown = message?.content;
    if (typeof content !== 'string' || content === '' || SPECIAL.test(content)) return;
    const start = data.indexOf('"', at + KEY.length) + 1;
    if (!data.startsWith(`${content}"`, start)) return;
    this.#lessons += 1;
    const end = start + content.length;
    const onlyChoice = findOnlyChoice(response);
    this.#template = { before: data.slice(0, start), after: data.slice(end), response, message, onlyChoice };
  }
}

/** The number of the choice, if the chunk has one and says nothing else that a reader looks at; -1 otherwise. */
function findOnlyChoice({ choices, usage, error }: WireResponse): number {
  const [choice, another] = choices as (WireChoice | null)[];
  if (usage || error || !choice || another !== undefined || choice.finish_reason || choice.message) return -1;
  const { reasoning_content, reasoning, tool_calls } = choice.delta ?? {};
  const isPlain = !reasoning_content && !reasoning && !tool_calls;
  return isPlain && typeof choice.index === 'number' ? choice.index : -1;
}
