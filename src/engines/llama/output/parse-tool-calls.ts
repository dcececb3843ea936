/** A call as the model wrote it; `arguments` is JSON text. */
export type WrittenCall = { name: string; arguments: string };

export const CALL_MARKERS = ['<tool_call>', '[TOOL_CALLS]', '<|python_tag|>'];

/**
 * Reads tool calls in the ways that models write them: `<tool_call>` tags, Mistral's `[TOOL_CALLS]` list, bare JSON, a
 * fenced block, `arguments` or `parameters`, as an object or as a string. Anything that is not wholly calls of known
 * tools is undefined: parsing half of it would lose the model's text.
 */
export function parseToolCalls(text: string, toolNames: string[]): WrittenCall[] | undefined {
  const bare = text
    .replaceAll(/<\/?tool_call>|\[\/?TOOL_CALLS\]|<\|python_tag\|>/g, ' ')
    .replaceAll(/^\s*```(?:json|tool_call)?|```\s*$/g, ' ');
  const values = readJsonValues(bare);
  if (values === undefined || values.length === 0) return undefined;
  const calls = values.flat(1).map((value) => readCall(value, toolNames));
  return calls.every((call) => call !== undefined) && calls.length > 0 ? calls : undefined;
}

const beginningCharacters = 256;

/** Whether text at the beginning of an answer may turn out to be a call. */
export function mayBecomeCall(text: string): boolean {
  // Its beginning decides; the whole would be read again with each token.
  const start = text.trimStart().slice(0, beginningCharacters);
  if (start === '') return true;
  if (CALL_MARKERS.some((marker) => marker.startsWith(start) || start.startsWith(marker))) return true;
  if ('```json'.startsWith(start.slice(0, 7))) return true;
  const json = start.replace(/^```json\s*/, '');
  if (!/^[[{`]/.test(json) && json !== '') return false;
  return KEYS.some((key) => {
    const written = json.replaceAll(/\s/g, '').replace(/^\[/, '');
    return key.startsWith(written.slice(0, key.length));
  });
}

const KEYS = ['{"name":', '{"type":"function"', '{"function":', '{"arguments":', '{"parameters":'];

function readCall(value: unknown, toolNames: string[]): WrittenCall | undefined {
  if (!isRecord(value)) return undefined;
  const call = isRecord(value.function) ? value.function : value;
  const name = call.name ?? value.function;
  if (typeof name !== 'string' || !toolNames.includes(name)) return undefined;
  const given = call.arguments ?? call.parameters ?? {};
  const parsed = typeof given === 'string' ? parseOrUndefined(given) : given;
  return isRecord(parsed) ? { name, arguments: JSON.stringify(parsed) } : undefined;
}

/** The JSON values that `text` consists of, or undefined where it is anything else. */
function readJsonValues(text: string): unknown[] | undefined {
  const values: unknown[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const end = endOfValue(rest);
    if (end === undefined) return undefined;
    const value = parseOrUndefined(rest.slice(0, end));
    if (value === undefined) return undefined;
    values.push(value);
    rest = rest.slice(end).replace(/^[\s,;]+/, '');
  }
  return values;
}

function endOfValue(text: string): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      depth--;
      if (depth === 0) return index + 1;
    } else if (depth === 0) return undefined;
  }
  return undefined;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
