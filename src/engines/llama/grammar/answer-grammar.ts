import type { ChatRequest, EngineTool, JsonSchema } from '../../engine.ts';
import { anyObject, SPACE, schemaToGrammar } from './json-schema.ts';
import { createRules, either, escaped, literal, type Rules } from './rules.ts';

/** How a model writes a call: what stands around it and what the arguments are called. */
export type CallStyle = { open: string; close: string; argumentsKey: 'arguments' | 'parameters'; isList: boolean };

export const TAGGED_CALLS: CallStyle = {
  open: '<tool_call>\n',
  close: '\n</tool_call>',
  argumentsKey: 'arguments',
  isList: false,
};

/** Small models may never stop calling. */
const parallelMax = 8;

/** What of a request decides about the form of its answer. */
export type GrammarRequest = Pick<ChatRequest, 'format' | 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** The grammar of the completion, or undefined where any text is allowed. */
export function answerGrammar(request: GrammarRequest, style: CallStyle): string | undefined {
  const rules = createRules();
  const { format, toolChoice } = request;
  const json =
    format.type === 'text' ? undefined : jsonRule(rules, format.type === 'json_schema' ? format.schema : undefined);
  const tools = offeredTools(request);
  if (tools.length === 0) return json === undefined ? undefined : rules.print(json);
  const calls = callRules(rules, tools, style, request.parallelToolCalls);
  if (toolChoice !== 'auto') return rules.print(calls.marked);
  if (json !== undefined) return rules.print(either([calls.marked, json]));
  return rules.print(textThenCalls(rules, style.open.trim(), calls));
}

export function offeredTools({ tools, toolChoice }: Pick<ChatRequest, 'tools' | 'toolChoice'>): EngineTool[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
}

function jsonRule(rules: Rules, schema: JsonSchema | undefined): string {
  return schema === undefined ? anyObject(rules) : schemaToGrammar(rules, schema);
}

type CallRules = { marked: string; afterMarker: string; bare: string };

function callRules(rules: Rules, tools: EngineTool[], style: CallStyle, parallel: boolean): CallRules {
  const call = rules.add(either(tools.map((tool) => callRule(rules, tool, style))), 'call');
  const marker = style.open.trim();
  const [open, close] = [literal(style.open), literal(style.close)];
  const gap = style.open.slice(style.open.indexOf(marker) + marker.length);
  const afterMarker = gap === '' ? '[ \\n]?' : `(${literal(gap)} | [ \\n]?)`;
  if (style.isList) {
    const list = `"[" ${call} ${parallel ? `("," ${SPACE} ${call}){0,${parallelMax - 1}}` : ''} "]"`;
    return { marked: `${open} ${list}`, afterMarker: `${afterMarker} ${list}`, bare: call };
  }
  const more = parallel ? `("\\n" ${open} ${call} ${close}){0,${parallelMax - 1}}` : '';
  return {
    marked: `${open} ${call} ${close} ${more}`,
    afterMarker: `${afterMarker} ${call} ${close} ${more}`,
    bare: call,
  };
}

function callRule(rules: Rules, tool: EngineTool, { argumentsKey }: CallStyle): string {
  const isObject = tool.parameters.type === 'object' || tool.parameters.type === undefined;
  const body = isObject ? schemaToGrammar(rules, { ...tool.parameters, type: 'object' }) : anyObject(rules);
  const name = literal(JSON.stringify(tool.name));
  return rules.add(
    `"{" ${SPACE} "\\"name\\":" ${SPACE} ${name} "," ${SPACE} "\\"${argumentsKey}\\":" ${SPACE} ${body} ${SPACE} "}"`,
    'call',
  );
}

/**
 * Text in which the marker of a call is followed by a call and nothing else. One rule per matched character of the
 * marker: a small automaton, because a grammar cannot express "anything but this word". An answer that begins with a brace
 * is a bare call, as some models write it.
 */
function textThenCalls(rules: Rules, marker: string, calls: CallRules): string {
  const characters = [...marker];
  const states = characters.map((_, index) => rules.reserve(`text-${index}`));
  const nameOf = (index: number) => states[index]?.name ?? '""';
  const alphabet = [...new Set(characters)];
  states.forEach((state, index) => {
    const matched = characters.slice(0, index).join('');
    const branches = alphabet.map((character) => {
      const next = overlap(matched + character, marker);
      return `${literal(character)} ${next === characters.length ? calls.afterMarker : nameOf(next)}`;
    });
    const others = `[^${alphabet.map(escaped).join('')}] ${nameOf(0)}`;
    state.define(['""', others, ...branches].join(' | '));
  });
  const first = alphabet
    .filter((character) => character !== '{')
    .map((character) => {
      const next = overlap(character, marker);
      return `${literal(character)} ${next === characters.length ? calls.afterMarker : nameOf(next)}`;
    });
  const others = `[^${[...alphabet, '{'].map(escaped).join('')}] ${nameOf(0)}`;
  return either([others, ...first, calls.bare]);
}

/** How many characters at the end of `text` are the beginning of `marker`. */
function overlap(text: string, marker: string): number {
  for (let length = Math.min(text.length, marker.length); length > 0; length--) {
    if (marker.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
