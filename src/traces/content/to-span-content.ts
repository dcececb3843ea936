import type { CallContent } from '../../metering/index.ts';
import type { SpanContent } from '../schema/span.ts';
import { fitContent, mapTexts } from './fit-content.ts';
import type { Redactor } from './redactor.ts';

export const NO_CONTENT: SpanContent = {
  input_messages: '',
  output_messages: '',
  system_instructions: '',
  tool_definitions: '',
  tool_call_arguments: '',
  tool_call_result: '',
};

/** Redacted, cut and as JSON text; undefined when the rules take too long, so that nothing unredacted is kept. */
export function toSpanContent(said: CallContent, redact: Redactor, charactersMax: number): SpanContent | undefined {
  const texts: string[] = [];
  mapTexts(said, (text) => {
    texts.push(text);
    return text;
  });
  const redacted = redact(texts);
  if (!redacted) return undefined;
  let next = 0;
  const safe = mapTexts(said, () => redacted[next++] ?? '') as CallContent;
  const { system, tools, input, output } = fitContent(safe, charactersMax);
  return {
    ...NO_CONTENT,
    input_messages: toJson(input),
    output_messages: toJson(output),
    system_instructions: toJson(system),
    tool_definitions: toJson(tools),
  };
}

/** The same for texts that a client or a tool has made. */
export function redactContent(content: SpanContent, redact: Redactor, charactersMax: number): SpanContent | undefined {
  const names = Object.keys(NO_CONTENT) as (keyof SpanContent)[];
  const redacted = redact(names.map((name) => content[name]));
  if (!redacted) return undefined;
  return Object.fromEntries(names.map((name, i) => [name, toStored(redacted[i] ?? '', charactersMax)])) as SpanContent;
}

// PostgreSQL has no NUL in texts, and half of a pair is no character.
function toStored(text: string, charactersMax: number): string {
  return text.slice(0, charactersMax).toWellFormed().replaceAll('\0', '\ufffd');
}

function toJson(list: readonly unknown[]): string {
  return list.length === 0 ? '' : JSON.stringify(list);
}
