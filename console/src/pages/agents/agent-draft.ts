import type { Agent, CreateAgentRequest } from '../../../../src/agents/schema.ts';

type Tool = NonNullable<Agent['tools']>[number];
type Built = Exclude<Tool, { type: 'function' | 'connector' | 'document_library' }>['type'];

/** Tools that the server runs. `ask`: each call requires approval. */
export type ToolUse = 'off' | 'on' | 'ask';
export const builtInTools: { type: Built; label: string; explains: string }[] = [
  { type: 'code_interpreter', label: 'Code interpreter', explains: 'Runs Python in a sandbox without network.' },
  { type: 'web_search', label: 'Web search', explains: 'Needs a provider set up by the operator.' },
  { type: 'image_generation', label: 'Image generation', explains: 'Needs a provider set up by the operator.' },
];

type CompletionArgs = NonNullable<Agent['completion_args']>;
type ResponseFormat = NonNullable<CompletionArgs['response_format']>;
const SCHEMA_NAME_MAX = 64;
type ToolChoice = CompletionArgs['tool_choice'];

/** `version` is a number or an alias; empty for the newest. */
export type SkillDraft = { key: number; name: string; version: string };
export type ConnectorDraft = { key: number; id: string; confirm: string };
export type FunctionDraft = { key: number; name: string; description: string; parameters: string };

/** The state of the agent form. `rest` keeps what the form has no input for and is sent back unchanged. */
export type AgentDraft = {
  name: string;
  description: string;
  model: string;
  instructions: string;
  temperature: string;
  maxTokens: string;
  topP: string;
  /** One per line. */
  stop: string;
  toolChoice: ToolChoice;
  format: 'text' | 'json_object' | 'json_schema';
  /** The JSON schema of the response, as text. */
  schema: string;
  tools: Record<string, ToolUse>;
  connectors: ConnectorDraft[];
  functions: FunctionDraft[];
  handoffs: string[];
  skills: SkillDraft[];
  note: string;
  rest: Pick<Agent, 'tools' | 'completion_args' | 'metadata'>;
};

/** Greater than the keys of a draft that was kept. */
let lastKey = Date.now();
export const newKey = () => ++lastKey;

export const emptyParameters = JSON.stringify({ type: 'object', properties: {} }, null, 2);

export function draftOf(agent?: Agent): AgentDraft {
  const tools = agent?.tools ?? [];
  const { skills, ...metadata } = agent?.metadata ?? {};
  const { temperature, max_tokens, top_p, stop, tool_choice, response_format, ...completion_args } =
    agent?.completion_args ?? ({ tool_choice: 'auto' } as CompletionArgs);
  return {
    name: agent?.name ?? '',
    description: agent?.description ?? '',
    model: agent?.model ?? '',
    instructions: agent?.instructions ?? '',
    temperature: temperature == null ? '' : String(temperature),
    maxTokens: max_tokens == null ? '' : String(max_tokens),
    topP: top_p == null ? '' : String(top_p),
    stop: [stop ?? []].flat().join('\n'),
    toolChoice: tool_choice,
    format: response_format?.type ?? 'text',
    schema: response_format?.json_schema ? JSON.stringify(response_format.json_schema.schema, null, 2) : '',
    tools: Object.fromEntries(builtInTools.map(({ type }) => [type, useOf(tools, type)])),
    connectors: tools.flatMap((tool) =>
      tool.type === 'connector'
        ? [
            {
              key: newKey(),
              id: tool.connector_id,
              confirm: tool.tool_configuration?.requires_confirmation?.join(', ') ?? '',
            },
          ]
        : [],
    ),
    functions: tools.flatMap((tool) =>
      tool.type === 'function'
        ? [
            {
              key: newKey(),
              name: tool.function.name,
              description: tool.function.description,
              parameters: JSON.stringify(tool.function.parameters, null, 2),
            },
          ]
        : [],
    ),
    handoffs: agent?.handoffs ?? [],
    skills: Array.isArray(skills) ? skills.map(toSkill) : [],
    note: '',
    rest: { tools, completion_args: { ...completion_args, tool_choice }, metadata },
  };
}

function toSkill(reference: unknown): SkillDraft {
  const [name = '', version = ''] = String(reference).split('@');
  return { key: newKey(), name, version };
}

function useOf(tools: readonly Tool[], type: Built): ToolUse {
  const tool = tools.find((one) => one.type === type);
  if (!tool || !('tool_configuration' in tool || tool.type === type)) return 'off';
  const confirmed = 'tool_configuration' in tool ? tool.tool_configuration?.requires_confirmation : undefined;
  return confirmed?.includes(type) ? 'ask' : 'on';
}

export type AgentProblems = Readonly<Record<string, string>>;
export type FormPart = {
  draft: AgentDraft;
  problems: AgentProblems;
  set: (change: Partial<AgentDraft>) => void;
};
export type ReadAgent = { request: CreateAgentRequest | undefined; problems: AgentProblems };

/** The request for a draft, or its problems by input. */
export function readAgent(draft: AgentDraft): ReadAgent {
  const problems: Record<string, string> = {};
  if (draft.name.trim() === '') problems.name = 'Enter a name.';
  if (draft.model.trim() === '') problems.model = 'Choose a model.';
  const temperature = numberOf(
    draft.temperature,
    'temperature',
    problems,
    (value) => value >= 0 && value <= 1,
    'from 0 to 1',
  );
  const max_tokens = numberOf(
    draft.maxTokens,
    'maxTokens',
    problems,
    (value) => Number.isInteger(value) && value >= 1,
    'a whole number from 1',
  );
  const top_p = numberOf(draft.topP, 'topP', problems, (value) => value >= 0 && value <= 1, 'from 0 to 1');
  const stop = draft.stop.split('\n').filter((line) => line !== '');
  const response_format = readFormat(draft, problems);
  const tools = [...builtIn(draft), ...connectors(draft, problems), ...functions(draft, problems), ...kept(draft)];
  const skills = readSkills(draft, problems);
  const metadata = { ...draft.rest.metadata, ...(skills.length > 0 ? { skills } : {}) };
  const request: CreateAgentRequest = {
    name: draft.name.trim(),
    model: draft.model.trim(),
    description: draft.description.trim() || null,
    instructions: draft.instructions.trim() === '' ? null : draft.instructions,
    tools,
    completion_args: {
      ...draft.rest.completion_args,
      tool_choice: draft.toolChoice,
      ...(temperature === undefined ? {} : { temperature }),
      ...(max_tokens === undefined ? {} : { max_tokens }),
      ...(top_p === undefined ? {} : { top_p }),
      ...(stop.length > 0 && { stop }),
      ...(response_format && { response_format }),
    },
    handoffs: draft.handoffs.length > 0 ? draft.handoffs : null,
    metadata: Object.keys(metadata).length > 0 ? metadata : null,
    ...(draft.note.trim() ? { version_message: draft.note.trim() } : {}),
  };
  return { request: Object.keys(problems).length > 0 ? undefined : request, problems };
}

function readFormat(
  { format, schema, name }: AgentDraft,
  problems: Record<string, string>,
): ResponseFormat | undefined {
  if (format === 'text') return undefined;
  if (format === 'json_object') return { type: format };
  try {
    const parsed = JSON.parse(schema) as Record<string, unknown>;
    const title = name.trim().replaceAll(/[^A-Za-z0-9_-]+/g, '_') || 'response';
    return { type: format, json_schema: { name: title.slice(0, SCHEMA_NAME_MAX), schema: parsed, strict: true } };
  } catch (error) {
    problems.schema = schema.trim() === '' ? 'Enter a JSON schema.' : `Invalid JSON: ${(error as Error).message}`;
    return undefined;
  }
}

function readSkills({ skills }: AgentDraft, problems: Record<string, string>): string[] {
  return skills.map(({ key, name, version }) => {
    if (name === '') problems[`skill ${key}`] = 'Choose a skill or remove this entry.';
    return version.trim() === '' ? name : `${name}@${version.trim()}`;
  });
}

/** An existing tool keeps the rest of its configuration. */
function builtIn({ tools, rest }: AgentDraft): Tool[] {
  return builtInTools.flatMap(({ type }): Tool[] => {
    const use = tools[type] ?? 'off';
    if (use === 'off') return [];
    const known = rest.tools?.find((tool) => tool.type === type);
    const configuration = known && 'tool_configuration' in known ? known.tool_configuration : undefined;
    const tool_configuration = { ...configuration, requires_confirmation: use === 'ask' ? [type] : null };
    const isPlain = use === 'on' && !configuration?.include && !configuration?.exclude;
    return [isPlain ? { type } : { type, tool_configuration }] as Tool[];
  });
}

function connectors({ connectors: given, rest }: AgentDraft, problems: Record<string, string>): Tool[] {
  return given.flatMap(({ key, id, confirm }): Tool[] => {
    if (id.trim() === '') {
      problems[`connector ${key}`] = 'Choose a connector or remove this entry.';
      return [];
    }
    const known = rest.tools?.find((tool) => tool.type === 'connector' && tool.connector_id === id.trim());
    const configuration = known?.type === 'connector' ? known.tool_configuration : undefined;
    const names = words(confirm);
    const tool_configuration =
      configuration || names.length > 0
        ? { ...configuration, requires_confirmation: names.length > 0 ? names : null }
        : undefined;
    return [{ type: 'connector', connector_id: id.trim(), ...(tool_configuration ? { tool_configuration } : {}) }];
  });
}

function functions({ functions: given }: AgentDraft, problems: Record<string, string>): Tool[] {
  return given.flatMap(({ key, name, description, parameters }): Tool[] => {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      problems[`function ${key}`] = 'Use 1 to 64 letters, digits, underscores and hyphens.';
      return [];
    }
    try {
      const schema = JSON.parse(parameters) as Record<string, unknown>;
      return [{ type: 'function', function: { name, description, strict: false, parameters: schema } }];
    } catch (error) {
      problems[`parameters ${key}`] = `Invalid JSON: ${(error as Error).message}`;
      return [];
    }
  });
}

/** Tools that the form does not show. */
function kept({ rest }: AgentDraft): Tool[] {
  const shown = new Set<string>([...builtInTools.map(({ type }) => type), 'connector', 'function']);
  return (rest.tools ?? []).filter(({ type }) => !shown.has(type));
}

function numberOf(
  text: string,
  name: string,
  problems: Record<string, string>,
  fits: (value: number) => boolean,
  expected: string,
): number | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  if (!fits(value)) problems[name] = `This must be ${expected}.`;
  return value;
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}
