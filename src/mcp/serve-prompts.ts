import { type GetPromptResult, type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Logger } from '../kit/base/log.ts';
import type { Scope } from '../kit/http/index.ts';
import { fillPlaceholders, findPlaceholders, type Prompt, type PromptService } from '../prompts/index.ts';
import { explained } from './explain.ts';
import { readRendered } from './read-rendered.ts';

const PAGE_SIZE = 100;

/** `name` is the newest version, `name@alias` and `name#3` the one that an alias or a number names. */
const NAME = /^([^@#]+)(?:@([^@#]+)|#(\d{1,9}))?$/;

/** The prompts of the registry that the caller can see, as prompts of the protocol; their variables are arguments. */
export function servePrompts({ server }: McpServer, scope: Scope, prompts: PromptService, log: Logger): void {
  server.setRequestHandler('prompts/list', ({ params }) =>
    explained(log, async () => {
      const { data = [], nextPageToken } = await prompts.list(scope, {
        pageSize: PAGE_SIZE,
        pageToken: params?.cursor,
        fields: ['name', 'title', 'description', 'definition', 'sharingScope'],
        sort_by: 'name',
      });
      return {
        prompts: withoutShadowed(data).map(describePrompt),
        ...(nextPageToken === undefined ? {} : { nextCursor: nextPageToken }),
      };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }) =>
    explained(log, async () => {
      const [, name, alias, version] = NAME.exec(params.name) ?? [];
      if (name === undefined) throw invalid(`'${params.name.slice(0, 200)}' is not the name of a prompt.`);
      const selector = { alias, version: version === undefined ? undefined : Number(version) };
      const prompt = await readRendered<Prompt>(await prompts.get(scope, name, selector));
      return fill(prompt, params.arguments ?? {});
    }),
  );
}

/** A look-up by name prefers one's own prompt to a shared one, so only that one is listed. */
function withoutShadowed(prompts: Prompt[]): Prompt[] {
  const own = new Set(prompts.filter(({ sharingScope }) => sharingScope === 'private').map(({ name }) => name));
  return prompts.filter(({ name, sharingScope }) => sharingScope === 'private' || !own.has(name));
}

function describePrompt(prompt: Prompt) {
  const { name = '', title, description } = prompt;
  const { used, declared } = variablesOf(prompt);
  return {
    name,
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
    arguments: [...new Set([...declared, ...used])].map((variable) => ({
      name: variable,
      required: used.includes(variable),
    })),
  };
}

function fill(prompt: Prompt, values: Record<string, string>): GetPromptResult {
  const missing = variablesOf(prompt).used.filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0) throw invalid(`The prompt needs a value for: ${missing.join(', ')}.`);
  const text = fillPlaceholders(prompt.definition?.content ?? '', new Map(Object.entries(values)));
  return {
    ...(prompt.description ? { description: prompt.description } : {}),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function variablesOf({ definition }: Prompt) {
  return {
    used: findPlaceholders(definition?.content ?? ''),
    declared: (definition?.variables ?? []).map(({ name }) => name),
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
