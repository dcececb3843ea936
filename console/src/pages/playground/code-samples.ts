import type { PlaygroundRequest } from './setup.ts';

export const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The request as code that runs as is, with the key in the environment. */
export function sampleOf(language: Language, { path, body }: PlaygroundRequest, origin: string): string {
  if (language === 'curl') return curlOf(path, body, origin);
  const isAgent = path.startsWith('/v1/agents');
  return language === 'TypeScript' ? typescriptOf(isAgent, body, origin) : pythonOf(isAgent, body, origin);
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
