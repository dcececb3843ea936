import type { ChatCompletionRequest } from '../../../../src/chat/schema/requests.ts';
import { type Attachment, type Chunk, toChunks } from './attachments.ts';

/** The target of requests. A prompt's `at` is an alias, a version as `#3`, or empty for the latest. */
export type Target =
  | { kind: 'model'; id: string }
  | { kind: 'prompt'; name: string; at: string }
  | { kind: 'agent'; id: string };

export const SERVER_TOOLS = ['web_search', 'code_interpreter', 'image_generation'] as const;
export type ServerTool = (typeof SERVER_TOOLS)[number];

export type Format = 'text' | 'json_object' | 'json_schema';

/** The state of the form: numbers and JSON stay text until a request is built. */
export type Setup = {
  target: Target;
  system: string;
  /** What the server runs for a model: libraries to search, connectors, and tools of its own. */
  libraries: readonly string[];
  connectors: readonly string[];
  serverTools: readonly ServerTool[];
  variables: Record<string, string>;
  temperature: string;
  topP: string;
  maxTokens: string;
  seed: string;
  stop: string;
  tools: string;
  toolChoice: 'auto' | 'any' | 'none' | 'required';
  format: Format;
  schema: string;
};

export const EMPTY_SETUP: Setup = {
  target: { kind: 'model', id: '' },
  system: '',
  libraries: [],
  connectors: [],
  serverTools: [],
  variables: {},
  temperature: '',
  topP: '',
  maxTokens: '',
  seed: '',
  stop: '',
  tools: '',
  toolChoice: 'auto',
  format: 'text',
  schema: '',
};

export type Call = { id: string; name: string; arguments: string };

export type Turn =
  | { role: 'user'; content: string; attachments?: readonly Attachment[] }
  | { role: 'assistant'; content: string; calls?: readonly Call[] }
  | { role: 'tool'; content: string; call: Call };

type AskMessage = {
  role: 'system' | Turn['role'];
  content: string | Chunk[];
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  name?: string;
};

export type RequestBody = Partial<Omit<ChatCompletionRequest, 'messages'>> & {
  agent_id?: string;
  messages: AskMessage[];
};

export type PlaygroundRequest = { path: string; body: RequestBody };

/** Validation problems by field. */
export type Problems = Partial<Record<keyof Setup, string>>;

type Numbers = { name: string; min: number; max: number; whole?: boolean };

const NUMBERS = {
  temperature: { name: 'temperature', min: 0, max: 1.5 },
  topP: { name: 'top_p', min: 0, max: 1 },
  maxTokens: { name: 'max_tokens', min: 1, max: 1_000_000, whole: true },
  seed: { name: 'random_seed', min: 0, max: 2 ** 31 - 1, whole: true },
} as const satisfies Partial<Record<keyof Setup, Numbers>>;

/** Builds the request for a setup and its messages; empty fields are omitted. */
export function buildRequest(setup: Setup, turns: readonly Turn[]): { request: PlaygroundRequest; problems: Problems } {
  const problems: Problems = {};
  const isAgent = setup.target.kind === 'agent';
  const body: RequestBody = { ...targetOf(setup, problems), messages: turns.map(messageOf) };
  // An agent has its own instructions and sampling.
  if (!isAgent && setup.system.trim() !== '') body.messages.unshift({ role: 'system', content: setup.system });
  for (const [field, rule] of Object.entries(NUMBERS) as [keyof typeof NUMBERS, Numbers][]) {
    if (isAgent && (field === 'temperature' || field === 'topP')) continue;
    const text = setup[field].trim();
    if (text === '') continue;
    const value = Number(text);
    if (Number.isNaN(value) || value < rule.min || value > rule.max || (rule.whole && !Number.isInteger(value)))
      problems[field] =
        `Enter a ${rule.whole ? 'whole ' : ''}number from ${rule.min} to ${rule.max}, or leave it empty.`;
    else Object.assign(body, { [rule.name]: value });
  }
  const stop = setup.stop.split('\n').filter((line) => line !== '');
  if (stop.length > 0) body.stop = stop;
  addTools(setup, body, problems);
  addFormat(setup, body, problems);
  return { request: { path: isAgent ? '/v1/agents/completions' : '/v1/chat/completions', body }, problems };
}

function messageOf(turn: Turn): AskMessage {
  if (turn.role === 'tool')
    return { role: 'tool', content: turn.content, tool_call_id: turn.call.id, name: turn.call.name };
  if (turn.role === 'user' && turn.attachments?.length)
    return { role: 'user', content: toChunks(turn.content, turn.attachments) };
  if (turn.role === 'user' || !turn.calls?.length) return { role: turn.role, content: turn.content };
  const calls = turn.calls.map(({ id, ...called }) => ({ id, type: 'function' as const, function: called }));
  return { role: 'assistant', content: turn.content, tool_calls: calls };
}

function targetOf({ target, variables }: Setup, problems: Problems): Partial<RequestBody> {
  if (target.kind === 'agent') {
    if (target.id === '') problems.target = 'Choose an agent.';
    return { agent_id: target.id };
  }
  if (target.kind === 'model') {
    if (target.id === '') problems.target = 'Choose a model.';
    return { model: target.id };
  }
  if (target.name === '') problems.target = 'Choose a prompt.';
  const at = target.at === '' || target.at.startsWith('#') ? target.at : `@${target.at}`;
  const model = `prompt:${target.name}${at}`;
  return Object.keys(variables).length > 0 ? { model, metadata: { variables } } : { model };
}

function addTools({ tools, toolChoice }: Setup, body: RequestBody, problems: Problems): void {
  if (tools.trim() === '') return;
  const parsed = parseJson(tools);
  if (!Array.isArray(parsed)) problems.tools = 'Tools must be a JSON array, as in the example.';
  else if (parsed.length > 0) Object.assign(body, { tools: parsed, tool_choice: toolChoice });
}

function addFormat({ format, schema }: Setup, body: RequestBody, problems: Problems): void {
  if (format === 'text') return;
  if (format === 'json_object') body.response_format = { type: 'json_object' };
  else {
    const parsed = parseJson(schema);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      problems.schema = 'Add a field, or write a JSON object as in the example.';
    else
      body.response_format = {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: parsed as Record<string, unknown>, strict: true },
      };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // undefined marks invalid JSON: it is no JSON value itself.
    return undefined;
  }
}

/** The tools of a request that only conversations run. Agents and prompts have tools of their own. */
export function serverToolsOf({ target, libraries, connectors, serverTools }: Setup): object[] {
  if (target.kind !== 'model') return [];
  return [
    ...serverTools.map((type) => ({ type })),
    ...connectors.map((connector_id) => ({ type: 'connector', connector_id })),
    ...(libraries.length > 0 ? [{ type: 'document_library', library_ids: libraries }] : []),
  ];
}

export function nameOfTarget(target: Target): string {
  if (target.kind === 'prompt') return target.name === '' ? 'a prompt' : `${target.name} ${target.at || '(latest)'}`;
  return target.id === '' ? (target.kind === 'agent' ? 'an agent' : 'a model') : target.id;
}
