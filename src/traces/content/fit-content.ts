import type { CallContent, ContentMessage } from '../../metering/index.ts';

/** Names of the conventions, which are no part of what was said. */
const STRUCTURE: ReadonlySet<string> = new Set(['type', 'role', 'finish_reason', 'modality']);

/** The same value with other texts in it. */
export function mapTexts(value: unknown, map: (text: string) => string, key = ''): unknown {
  if (typeof value === 'string') return STRUCTURE.has(key) ? value : map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, map, name)]));
}

function lengthOf(value: unknown): number {
  let length = 0;
  mapTexts(value, (text) => {
    length += text.length;
    return text;
  });
  return length;
}

/** Within so many characters for each kind: of messages the newest, of one that is too long its beginning. */
export function fitContent({ system, tools, input, output }: CallContent, charactersMax: number): CallContent {
  return {
    system: cutTexts(system, charactersMax) as CallContent['system'],
    tools: lengthOf(tools) <= charactersMax ? tools : tools.slice(0, 100).map(({ type, name }) => ({ type, name })),
    input: fitMessages(input, charactersMax),
    output: fitMessages(output, charactersMax),
  };
}

function fitMessages(messages: readonly ContentMessage[], charactersMax: number): ContentMessage[] {
  const kept: ContentMessage[] = [];
  let left = charactersMax;
  for (const message of messages.toReversed()) {
    const length = lengthOf(message.parts);
    if (length > left && kept.length > 0) break;
    kept.unshift(
      length > left ? { ...message, parts: cutTexts(message.parts, left) as typeof message.parts } : message,
    );
    left -= length;
  }
  const omitted = messages.length - kept.length;
  if (omitted > 0) kept.unshift({ role: 'system', parts: [{ type: 'omitted', messages: omitted }] });
  return kept;
}

function cutTexts(value: unknown, charactersMax: number): unknown {
  let left = charactersMax;
  return mapTexts(value, (text) => {
    const cut = text.slice(0, Math.max(0, left));
    left -= cut.length;
    return cut;
  });
}
