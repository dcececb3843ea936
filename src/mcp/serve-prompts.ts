import { type GetPromptResult, type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Logger } from '../kit/base/log.ts';
import type { Scope } from '../kit/http/index.ts';
import { fillPlaceholders, findPlaceholders, type Prompt, type PromptService } from '../prompts/index.ts';
import { withProtocolErrors } from './explain-error.ts';

const PAGE_SIZE = 100;

/** `name` selects the newest version, `name@alias` and `name#3` that of an alias or a number. */
const NAME = /^([^@#]+)(?:@([^@#]+)|#(\d{1,9}))?$/;

/** Serves the prompts that the caller can see; their variables are arguments. */
export function servePrompts({ server }: McpServer, scope: Scope, prompts: PromptService, log: Logger): void {
  server.setRequestHandler('prompts/list', ({ params }) =>
    withProtocolErrors(log, async () => {
      const { groups, nextPageToken } = await prompts.list(scope, {
        pageSize: PAGE_SIZE,
        pageToken: params?.cursor,
        fields: ['name', 'title', 'description', 'definition', 'sharingScope'],
        sort_by: 'name',
      });
      return {
        prompts: await describePrompts(groups),
        ...(nextPageToken === undefined ? {} : { nextCursor: nextPageToken }),
      };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }) =>
    withProtocolErrors(log, async () => {
      const [, name, alias, version] = NAME.exec(params.name) ?? [];
      if (name === undefined) throw invalid(`'${params.name.slice(0, 200)}' is not the name of a prompt.`);
      const selector = { ...(alias && { alias }), ...(version && { version: Number(version) }) };
      return fillPrompt(await prompts.read(scope, name, selector), params.arguments ?? {});
    }),
  );
}

/** A lookup by name prefers the caller's own prompt to a shared one, so only that one is listed. */
async function describePrompts(groups: AsyncIterable<Prompt[]>) {
  const listed: (ReturnType<typeof describePrompt> & { isOwn: boolean })[] = [];
  for await (const prompts of groups)
    listed.push(...prompts.map((prompt) => ({ ...describePrompt(prompt), isOwn: prompt.sharingScope === 'private' })));
  const own = new Set(listed.filter(({ isOwn }) => isOwn).map(({ name }) => name));
  return listed.filter(({ name, isOwn }) => isOwn || !own.has(name)).map(({ isOwn: _, ...prompt }) => prompt);
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

function fillPrompt(prompt: Prompt, values: Record<string, string>): GetPromptResult {
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
