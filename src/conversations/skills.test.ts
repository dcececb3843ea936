import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { type Conversing, MODEL, post, readEvents, startConversing } from './conversations-for-tests.ts';

type Entry = Record<string, unknown> & { type: string };
type Answered = { conversation_id: string; outputs: Entry[] };

onSqliteFirst('skills of an agent', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    conversing = await startConversing(database);
    const assets = {
      'reference/tides.md': { textContent: 'High at noon.' },
      'tide.bin': { rawContent: Buffer.from([0, 255, 1]).toString('base64') },
    };
    const definition = { description: 'How to\nread  tides', body: '# Tides\nLook at the moon.', assets };
    await makeSkill({ name: 'tides', definition, sharingScope: 'workspace', aliases: ['production'] });
    const second = { definition: { ...definition, body: '# Tides\nLook at the sun.' } };
    await call(conversing.server, '/v2/skills/tides/versions', { body: second });
    const long = { description: 'Long', body: 'x'.repeat(70_000) };
    await makeSkill({ name: 'long', definition: long, sharingScope: 'workspace' });
    await makeSkill({ name: 'secret', definition: { description: 'Mine', body: 'Hush.' } });
  });
  async function makeSkill(body: Record<string, unknown>) {
    const answer = await call(conversing.server, '/v2/skills', { body });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  const makeAgent = (skills: unknown, more: Record<string, unknown> = {}) =>
    call(conversing.server, '/v1/agents', { body: { model: MODEL, name: 'A', metadata: { skills }, ...more } });
  const agent = async (...skills: string[]) => ((await makeAgent(skills)).body as { id: string }).id;
  const start = (agent_id: string, more: Record<string, unknown> = {}) =>
    call(conversing.server, '/v1/conversations', { body: { agent_id, inputs: 'Hi', ...more } });
  const asked = () =>
    (conversing.upstream.calls.at(-1)?.body ?? {}) as { messages: { role: string; content: string }[]; tools: unknown };
  const loads = (given: Record<string, unknown>) => ({ calls: [{ name: 'load_skill', arguments: given }] });
  const digestOf = async (version: number) =>
    (await call(conversing.server, '/mcp', {
      headers: { accept: 'application/json, text/event-stream' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_skill', arguments: { skill: 'tides', version } },
      },
    }).then(({ text }) => /"digest":"([0-9a-f]{64})"/.exec(text)?.[1])) as string;

  it('are told to the model by name and description, and their digests to the client by a header', async () => {
    const body = { model: MODEL, name: 'B', instructions: 'Be brief.', metadata: { skills: ['tides@1', 'long'] } };
    const { id } = (await call(conversing.server, '/v1/agents', { body })).body as { id: string };
    const { headers } = await start(id);
    const { messages, tools } = asked();
    expect(messages[0]).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/^Be brief\.\n\n.*load_skill.*\n- tides: How to read tides\n- long: Long$/s),
    });
    expect(JSON.stringify(messages)).not.toContain('Look at the moon');
    expect(tools).toMatchObject([{ function: { name: 'load_skill' } }]);
    expect(headers.get('tramontane-skills')).toMatch(/^tides@1=sha256:[0-9a-f]{64}, long@1=sha256:[0-9a-f]{64}$/);
    expect(headers.get('tramontane-skills')).toContain(`tides@1=sha256:${await digestOf(1)}`);
    const streamed = await post(conversing.server, '/v1/conversations', { agent_id: id, inputs: 'Hi', stream: true });
    expect(streamed.headers.get('tramontane-skills')).toBe(headers.get('tramontane-skills'));
    await readEvents(streamed);
  });

  it.each([
    ['tides', 2, 'sun'],
    ['tides@production', 1, 'moon'],
    ['tides@2', 2, 'sun'],
    ['tides@latest', 2, 'sun'],
  ])('%s is loaded at its version when the model asks for it', async (reference, version, word) => {
    conversing.says(loads({ name: 'tides' }), loads({ name: 'tides', path: 'reference/tides.md' }), {
      words: ['Noon.'],
    });
    const { body } = await start(await agent(reference));
    const info = { skill: 'tides', version, digest: `sha256:${await digestOf(version)}` };
    expect((body as Answered).outputs).toMatchObject([
      { type: 'tool.execution', name: 'load_skill', info },
      { type: 'tool.execution', name: 'load_skill', info: { ...info, path: 'reference/tides.md' } },
      { type: 'message.output', content: 'Noon.' },
    ]);
    const { messages } = asked();
    expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      `# Tides\nLook at the ${word}.\n\nFiles, to be loaded by path: reference/tides.md, tide.bin.`,
      'High at noon.',
    ]);
  });

  it('are cut where they are too long, and what is no text or not there is told in words', async () => {
    conversing.says(
      loads({ name: 'long' }),
      loads({ name: 'tides', path: 'tide.bin' }),
      loads({ name: 'tides', path: '../secret/SKILL.md' }),
      { words: ['Well.'] },
    );
    const { body } = await start(await agent('long', 'tides'));
    const { messages } = asked();
    const [long = '', binary, missing] = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(long.length).toBeLessThan(66_000);
    expect(long).toMatch(/\[the rest was cut off\]$/);
    expect(binary).toBe("Error: The file 'tide.bin' is not a text (3 bytes).");
    expect(missing).toContain("Error: The skill 'tides' has no file '../secret/SKILL.md'. It has: reference/tides.md");
    expect((body as Answered).outputs.at(-1)).toMatchObject({ content: 'Well.' });
  });

  it('that another user keeps private look exactly like missing ones, and nothing is stored', async () => {
    const id = await agent('secret');
    expect((await start(id)).status).toBe(200);
    const key = await addColleague(conversing.server);
    const refused = await call(conversing.server, '/v1/conversations', { key, body: { agent_id: id, inputs: 'Hi' } });
    const missing = await start(await agent('nowhere'));
    expect(refused.status).toBe(400);
    expect(refused.text.replace('secret', 'nowhere')).toBe(missing.text);
    expect(missing.body).toMatchObject({ message: expect.stringContaining("skill 'nowhere', which does not exist") });
    expect((await call(conversing.server, '/v1/conversations', { key })).body).toEqual([]);
    // To another workspace the agent itself is missing.
    const stranger = await addStranger(conversing.server);
    expect(
      (await call(conversing.server, '/v1/conversations', { key: stranger, body: { agent_id: id, inputs: 'Hi' } }))
        .status,
    ).toBe(404);
  });

  it.each([['tides@9'], ['tides@nobody']])('at a version that is not there are refused: %s', async (reference) => {
    expect(await start(await agent(reference))).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`the skill '${reference}'`) },
    });
  });

  it('that were deleted since end what is appended, with a sentence, and the conversation stays', async () => {
    await makeSkill({ name: 'fleeting', definition: { description: 'F', body: 'f' } });
    const { conversation_id } = (await start(await agent('fleeting'))).body as Answered;
    await call(conversing.server, '/v2/skills/fleeting', { method: 'DELETE' });
    const path = `/v1/conversations/${conversation_id}`;
    expect(await call(conversing.server, path, { body: { inputs: 'On' } })).toMatchObject({ status: 400 });
    expect((await call(conversing.server, `${path}/history`)).body).toMatchObject({ entries: [{}, {}] });
  });

  it('are the next agent’s own after a handover', async () => {
    const second = await agent('tides');
    const first = ((await makeAgent([], { handoffs: [second] })).body as { id: string }).id;
    conversing.says(
      { calls: [{ name: `handoff_to_A_${second.slice(-8)}`, arguments: {} }] },
      loads({ name: 'tides' }),
      {
        words: ['Noon.'],
      },
    );
    const { body } = await start(first);
    expect((body as Answered).outputs).toMatchObject([
      { type: 'agent.handoff' },
      { type: 'tool.execution', name: 'load_skill', agent_id: second },
      { type: 'message.output', content: 'Noon.' },
    ]);
  });

  it.each([
    ['a text', 'tides', 'is a list of at most 32'],
    ['too many', Array.from({ length: 33 }, (_, n) => `s${n}`), 'is a list of at most 32'],
    ['no name', [''], 'is a name, a name@version'],
    ['a version that no number holds', ['tides@99999999999'], 'is a name, a name@version'],
    ['a number', [1], 'is a name, a name@version'],
    ['one skill twice', ['tides@1', 'tides'], "names 'tides' twice"],
  ])('are refused when the agent is made or changed: %s', async (_what, skills, sentence) => {
    const answer = { status: 400, body: { message: expect.stringContaining(sentence) } };
    expect(await makeAgent(skills)).toMatchObject(answer);
    const id = await agent('tides');
    const change = { method: 'PATCH', body: { metadata: { skills } } };
    expect(await call(conversing.server, `/v1/agents/${id}`, change)).toMatchObject(answer);
  });

  it('are refused in agent completions, where no server loads them', async () => {
    const body = { agent_id: await agent('tides'), messages: [{ role: 'user', content: 'Hi' }] };
    expect(await call(conversing.server, '/v1/agents/completions', { body })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('works in conversations only') },
    });
  });
});
