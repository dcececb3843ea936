import { ask } from '../serve/ask.ts';
import { maskAnswer } from './mask.ts';
import type { Schema } from './operations.ts';
import { put, sampleOf } from './sample.ts';
import { missingLike, type World, type Worlds } from './worlds.ts';

type Tool = { name: string; inputSchema: Schema };

/** The tool server is one operation with many tools, prompts and resources. Each is called with the ids it accepts. */
export async function judgeMcp({ server, owner }: Worlds, asker: World): Promise<{ asked: number; told: string[] }> {
  const told: string[] = [];
  let asked = 0;
  const headers = { authorization: `Bearer ${asker.key}` };
  const call = (method: string, params: unknown) =>
    ask(server.url, { method: 'POST', path: '/mcp', headers, body: { jsonrpc: '2.0', id: 1, method, params } });

  async function compare(name: string, theirs: string, params: (id: string) => [method: string, params: unknown]) {
    const missingId = missingLike(theirs);
    const foreign = await call(...params(theirs));
    const missing = await call(...params(missingId));
    asked += 2;
    const [shown, expected] = [maskAnswer(foreign, theirs), maskAnswer(missing, missingId)];
    if (shown !== expected || !/"isError":true|"error":/.test(foreign.text))
      told.push(`${asker.name}: ${name}: ${shown} instead of ${expected}`);
  }

  const listed = await call('tools/list', {});
  const [, json = '{}'] = /data: (\{.*\})/.exec(listed.text) ?? [null, listed.text];
  const { tools = [] } = (JSON.parse(json) as { result?: { tools?: Tool[] } }).result ?? {};
  if (tools.length === 0) told.push(`${asker.name}: the tool server lists no tools: ${listed.text}`);
  for (const { name, inputSchema } of tools) {
    if (!inputSchema.properties?.skill) continue;
    for (const id of [owner.ids.skill ?? '', owner.ids.skillReference ?? '', owner.ids.publishedSkill ?? '']) {
      if (asker.workspaceId === owner.workspaceId && id === owner.ids.publishedSkill) continue;
      const given = sampleOf(inputSchema, (schema) => schema);
      await compare(`tools/call ${name}`, id, (one) => ['tools/call', { name, arguments: put(given, ['skill'], one) }]);
    }
  }
  for (const id of [owner.ids.prompt ?? '', owner.ids.promptModel?.replace('prompt:', '') ?? ''])
    await compare('prompts/get', id, (name) => ['prompts/get', { name }]);
  await compare('resources/read', owner.ids.skillReference ?? '', (name) => [
    'resources/read',
    { uri: `skill://${name}/SKILL.md` },
  ]);
  return { asked, told };
}
