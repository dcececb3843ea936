import { type Flavour, flavour } from './flavours.ts';
import type { PlaygroundRequest } from './setup.ts';
import { toConversation } from './to-conversation.ts';

export const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The request as code that runs as is, with the key in the environment. */
export function sampleOf(
  language: Language,
  request: PlaygroundRequest,
  origin: string,
  as: Flavour = 'Mistral',
  serverTools: readonly object[] = [],
): string {
  const isConversation = serverTools.length > 0;
  const { path, body } = isConversation ? toConversation(named(request), serverTools) : flavour(named(request), as);
  if (language === 'curl') return curlOf(path, body, origin);
  if (isConversation)
    return language === 'TypeScript' ? conversationTypescript(body, origin) : conversationPython(body, origin);
  if (as !== 'Mistral')
    return language === 'TypeScript' ? otherTypescript(as, body, origin) : otherPython(as, body, origin);
  const isAgent = path.startsWith('/v1/agents');
  return language === 'TypeScript' ? typescriptOf(isAgent, body, origin) : pythonOf(isAgent, body, origin);
}

/** Says what to fill in where nothing is chosen yet. */
function named({ path, body }: PlaygroundRequest): PlaygroundRequest {
  return {
    path,
    body: {
      ...body,
      ...(body.model === '' ? { model: 'YOUR_MODEL' } : {}),
      ...(body.agent_id === '' ? { agent_id: 'YOUR_AGENT' } : {}),
    },
  };
}

function curlOf(path: string, body: object, origin: string): string {
  // A single quote ends a shell word: close it, escape the quote, reopen it.
  const data = JSON.stringify({ ...body, stream: true }, null, 2).replaceAll("'", "'\\''");
  return [
    `curl -N ${origin}${path} \\`,
    '  -H "Authorization: Bearer $TRAMONTANE_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '${data}'`,
    '',
  ].join('\n');
}

function typescriptOf(isAgent: boolean, body: object, origin: string): string {
  return [
    "import { Mistral } from '@mistralai/mistralai';",
    '',
    `const client = new Mistral({ serverURL: ${JSON.stringify(origin)}, apiKey: process.env.TRAMONTANE_API_KEY });`,
    '',
    `const stream = await client.${isAgent ? 'agents' : 'chat'}.stream(${JSON.stringify(camelCased(body), null, 2)});`,
    '',
    'for await (const { data } of stream) {',
    "  process.stdout.write(String(data.choices[0]?.delta.content ?? ''));",
    '}',
    '',
  ].join('\n');
}

function pythonOf(isAgent: boolean, body: object, origin: string): string {
  const args = Object.entries(body).map(([name, value]) => `    ${name}=${literal(value, 4)},`);
  return [
    'import os',
    'from mistralai.client import Mistral',
    '',
    `client = Mistral(server_url=${JSON.stringify(origin)}, api_key=os.environ["TRAMONTANE_API_KEY"])`,
    '',
    `stream = client.${isAgent ? 'agents' : 'chat'}.stream(`,
    ...args,
    ')',
    '',
    'for event in stream:',
    '    print(event.data.choices[0].delta.content or "", end="", flush=True)',
    '',
  ].join('\n');
}

function conversationTypescript(body: object, origin: string): string {
  return [
    "import { Mistral } from '@mistralai/mistralai';",
    '',
    `const client = new Mistral({ serverURL: ${JSON.stringify(origin)}, apiKey: process.env.TRAMONTANE_API_KEY });`,
    '',
    `const stream = await client.beta.conversations.startStream(${JSON.stringify(camelCased(body), null, 2)});`,
    '',
    'for await (const { data } of stream) {',
    "  if (data.type !== 'message.output.delta') continue;",
    "  if (typeof data.content === 'string') process.stdout.write(data.content);",
    "  else if (data.content.type === 'tool_reference') process.stdout.write('\\n' + data.content.title);",
    '}',
    '',
  ].join('\n');
}

function conversationPython(body: object, origin: string): string {
  const args = Object.entries(body).map(([name, value]) => `    ${name}=${literal(value, 4)},`);
  return [
    'import os',
    'from mistralai.client import Mistral',
    '',
    `client = Mistral(server_url=${JSON.stringify(origin)}, api_key=os.environ["TRAMONTANE_API_KEY"])`,
    '',
    'stream = client.beta.conversations.start_stream(',
    ...args,
    ')',
    '',
    'for event in stream:',
    '    if event.data.type != "message.output.delta":',
    '        continue',
    '    if isinstance(event.data.content, str):',
    '        print(event.data.content, end="", flush=True)',
    '    elif event.data.content.type == "tool_reference":',
    '        print(f"\\n[{event.data.content.title}]", end="")',
    '',
  ].join('\n');
}

type Other = Exclude<Flavour, 'Mistral'>;

const TYPESCRIPT: Record<Other, { from: string; url: string; call: string; loop: string[] }> = {
  OpenAI: {
    from: "import OpenAI from 'openai';",
    url: '/openai/v1',
    call: 'chat.completions.create',
    loop: [
      'for await (const chunk of stream) {',
      "  process.stdout.write(chunk.choices[0]?.delta.content ?? '');",
      '}',
    ],
  },
  Anthropic: {
    from: "import Anthropic from '@anthropic-ai/sdk';",
    url: '/anthropic',
    call: 'messages.create',
    loop: [
      'for await (const event of stream) {',
      "  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')",
      '    process.stdout.write(event.delta.text);',
      '}',
    ],
  },
};

function otherTypescript(as: Other, body: object, origin: string): string {
  const { from, url, call, loop } = TYPESCRIPT[as];
  return [
    from,
    '',
    `const client = new ${as}({ baseURL: ${JSON.stringify(origin + url)}, apiKey: process.env.TRAMONTANE_API_KEY });`,
    '',
    `const stream = await client.${call}(${JSON.stringify({ ...body, stream: true }, null, 2)});`,
    '',
    ...loop,
    '',
  ].join('\n');
}

const PYTHON: Record<Other, { from: string; url: string; call: string; loop: string[] }> = {
  OpenAI: {
    from: 'from openai import OpenAI',
    url: '/openai/v1',
    call: 'chat.completions.create',
    loop: ['for chunk in stream:', '    print(chunk.choices[0].delta.content or "", end="", flush=True)'],
  },
  Anthropic: {
    from: 'from anthropic import Anthropic',
    url: '/anthropic',
    call: 'messages.create',
    loop: [
      'for event in stream:',
      '    if event.type == "content_block_delta" and event.delta.type == "text_delta":',
      '        print(event.delta.text, end="", flush=True)',
    ],
  },
};

function otherPython(as: Other, body: object, origin: string): string {
  const { from, url, call, loop } = PYTHON[as];
  const args = Object.entries({ ...body, stream: true }).map(([name, value]) => `    ${name}=${literal(value, 4)},`);
  return [
    'import os',
    from,
    '',
    `client = ${as}(base_url=${JSON.stringify(origin + url)}, api_key=os.environ["TRAMONTANE_API_KEY"])`,
    '',
    `stream = client.${call}(`,
    ...args,
    ')',
    '',
    ...loop,
    '',
  ].join('\n');
}

/** User data keeps its names: schemas, parameters and variables are not fields of the SDK. */
const DATA = new Set(['schema', 'parameters', 'metadata']);

// The TypeScript SDK uses camel case and renames `schema` of a response format to avoid a conflict.
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [name === 'schema' ? 'schemaDefinition' : camel, DATA.has(name) ? inner : camelCased(inner)];
    }),
  );
}

function literal(value: unknown, indent: number): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  // JSON strings are valid Python strings: JSON.stringify emits no surrogate pair escapes.
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = ' '.repeat(indent + 4);
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${literal(item, indent + 4)},`)
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${literal(item, indent + 4)},`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join('\n')}\n${' '.repeat(indent)}${close}`;
}
