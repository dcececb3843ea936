import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { recordStatements } from '../../test/support/count-statements.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { doublingSchema } from '../../test/support/expensive-schemas.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { uploaded } from '../files/upload-for-tests.ts';
import type { BatchJob } from './schema.ts';

const MISSING = '01890000-0000-7000-8000-000000000000';
const path = '/v1/batch/jobs';
const say = (content: string) => ({ messages: [{ role: 'user', content }] });
const requestOf = (id: string, content = id) => ({ custom_id: id, body: say(content) });

onEachDatabase('/v1/batch/jobs', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let colleague: string;
  let stranger: string;
  beforeAll(async () => {
    upstream = await startUpstream();
    const models = [{ id: 'small', engine: 'upstream' as const, url: upstream.url, upstream_model: 'm' }];
    server = await startTestServer(database, { file: { models, limits: { key: { requests_per_second: 2 } } } });
    colleague = await addColleague(server);
    stranger = await addStranger(server);
  });
  beforeEach(() => {
    upstream.answerWith((asked, response) => {
      const [message] = asked.body.messages as { content: string }[];
      json(response, 200, completion(`You said: ${message?.content}`));
    });
  });

  const create = async (body: object, key = server.key) => {
    const answer = await call(server, path, {
      key,
      body: { endpoint: '/v1/chat/completions', model: 'small', ...body },
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return answer.body as BatchJob;
  };
  const get = async (id: string, query = '') => (await call(server, `${path}/${id}${query}`)).body as BatchJob;
  const ended = async (id: string) => {
    const running = ['QUEUED', 'RUNNING', 'CANCELLATION_REQUESTED'];
    await expect.poll(async () => running.includes((await get(id)).status), { timeout: 30_000 }).toBe(false);
    return get(id, '?inline=true');
  };
  const linesOf = async (file: string | null | undefined) =>
    (await call(server, `/v1/files/${file}/content`)).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const refused = (body: object) => call(server, path, { body: { endpoint: '/v1/chat/completions', ...body } });

  it('a job outlives many deaths of its server', async () => {
    const { database } = server.platform;
    const { promise: until, resolve } = Promise.withResolvers<void>();
    upstream.answerWith((_, response) => void until.then(() => json(response, 200, completion('ok'))));
    const { id } = await create({ requests: [requestOf('a')] });
    const row = await database.db
      .selectFrom('tasks')
      .select('attempts_max')
      .where('dedupe_key', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.attempts_max).toBeGreaterThanOrEqual(1000);
    resolve();
    expect((await ended(id)).status).toBe('SUCCESS');
  });

  it('answers inline requests in their order, with counts, times, outputs and a file', async () => {
    const requests = Array.from({ length: 120 }, (_, n) => requestOf(`r${n}`));
    const made = await create({ requests, metadata: { team: 'blue' } });
    expect(made).toMatchObject({ object: 'batch', status: 'QUEUED', total_requests: 120, completed_requests: 0 });
    const job = await ended(made.id);
    expect(job).toMatchObject({
      status: 'SUCCESS',
      model: 'small',
      endpoint: '/v1/chat/completions',
      metadata: { team: 'blue' },
      input_files: [],
      total_requests: 120,
      completed_requests: 120,
      succeeded_requests: 120,
      failed_requests: 0,
      error_file: null,
      errors: [],
      started_at: expect.any(Number),
      completed_at: expect.any(Number),
    });
    expect(job.outputs?.map(({ custom_id }) => custom_id)).toEqual(requests.map(({ custom_id }) => custom_id));
    expect(job.outputs?.[7]).toEqual({
      id: expect.stringMatching(/^batch-[0-9a-f]{8}-7-[0-9a-f-]{36}$/),
      custom_id: 'r7',
      response: {
        status_code: 200,
        body: expect.objectContaining({
          model: 'small',
          choices: [expect.objectContaining({ message: expect.objectContaining({ content: 'You said: r7' }) })],
        }),
      },
      error: null,
    });
    expect(await linesOf(job.output_file)).toEqual(job.outputs);
    expect((await get(made.id)).outputs).toBeNull();
  });

  it.runIf(isSqliteOrFull(database))(
    'takes ten thousand inline requests of the usual size, with more keys than one request may have',
    async () => {
      const body = { ...say('Hello'), temperature: 0, top_p: 1, max_tokens: 5, random_seed: 1, stop: ['x'], n: 1 };
      const shape = { response_format: { type: 'text' }, metadata: { a: '1', b: '2' } };
      const requests = Array.from({ length: 10_000 }, (_, n) => ({ custom_id: `${n}`, body: { ...body, ...shape } }));
      const { id, total_requests } = await create({ requests });
      expect(total_requests).toBe(10_000);
      expect((await call(server, `${path}/${id}/cancel`, { body: {} })).status).toBe(200);
      await ended(id);
    },
  );

  it('answers the lines of files, whatever is wrong with some of them', async () => {
    const lines = [
      JSON.stringify(requestOf('a')),
      'not json',
      '',
      '{"custom_id":"no-body"}',
      JSON.stringify(requestOf('b')),
    ];
    const first = await uploaded(server, lines.join('\n'), { purpose: 'batch' });
    const second = await uploaded(server, `${JSON.stringify({ body: { ...say('c'), temperature: 9 } })}\n`, {
      purpose: 'batch',
    });
    const job = await ended((await create({ input_files: [first.id, second.id] })).id);
    expect(job).toMatchObject({ status: 'SUCCESS', total_requests: 5, succeeded_requests: 2, failed_requests: 3 });
    expect((await linesOf(job.output_file)).map(({ custom_id }) => custom_id)).toEqual(['a', 'b']);
    expect(await linesOf(job.error_file)).toMatchObject([
      { custom_id: null, response: null, error: { message: 'The line is not valid JSON.' } },
      { custom_id: null, response: null, error: { message: expect.stringContaining('"body"') } },
      {
        custom_id: '4',
        response: { status_code: 422, body: { detail: [{ loc: ['body', 'temperature'] }] } },
        error: { message: expect.stringContaining('body.temperature') },
      },
    ]);
    expect(job.errors).toContainEqual({ message: 'The line is not valid JSON.', count: 1 });
  });

  it.runIf(isSqliteOrFull(database))(
    'tries again when the model is busy, and gives up on what the model refuses',
    async () => {
      let busy = 1;
      upstream.answerWith((asked, response) => {
        const [message] = asked.body.messages as { content: string }[];
        if (message?.content === 'bad') return json(response, 400, { error: { message: 'no' } });
        if (busy-- > 0) return void response.writeHead(503, { 'retry-after': '1' }).end();
        json(response, 200, completion('fine'));
      });
      const job = await ended((await create({ requests: [requestOf('good'), requestOf('bad')] })).id);
      expect(job).toMatchObject({ status: 'SUCCESS', succeeded_requests: 1, failed_requests: 1 });
      expect(job.outputs).toMatchObject([{ error: null }, { response: { status_code: 400 }, error: {} }]);
    },
  );

  it.runIf(isSqliteOrFull(database))('counts use, and is not held back by the rate limit', async () => {
    const used = async () => {
      const { db } = server.platform.database;
      const rows = await db.selectFrom('usage_records').select('request_id').execute();
      return rows.map(({ request_id }) => request_id);
    };
    const requests = Array.from({ length: 30 }, (_, n) => requestOf(`n${n}`));
    const { id } = await create({ requests });
    expect(await ended(id)).toMatchObject({ status: 'SUCCESS', succeeded_requests: 30 });
    const direct = await Promise.all(
      requests.map(({ body }) => call(server, '/v1/chat/completions', { body: { model: 'small', ...body } })),
    );
    expect(direct.map(({ status }) => status)).toContain(429);
    const ofJob = async () => (await used()).filter((request) => request.startsWith(id));
    await expect.poll(async () => (await ofJob()).length).toBe(30);
    const path = `/v1/observability/traces/${id.replaceAll('-', '')}`;
    await expect
      .poll(async () => (await call(server, path)).body, { timeout: 20_000 })
      .toMatchObject({ root_span_name: 'batch /v1/chat/completions', span_count: 31, llm_call_count: 30 });
  });

  it.runIf(isSqliteOrFull(database))(
    "jobs that hang hold up no other organization's, and say what they wait for",
    async () => {
      const held: (() => void)[] = [];
      upstream.answerWith((asked, response) => {
        const [message] = asked.body.messages as { content: string }[];
        if (message?.content === 'hang') held.push(() => json(response, 200, completion('late')));
        else json(response, 200, completion('done'));
      });
      const hanging: string[] = [];
      for (let n = 0; n < 4; n++) {
        const requests = Array.from({ length: 40 }, (_, i) => requestOf(`${i}`, 'hang'));
        hanging.push((await create({ requests })).id);
      }
      await expect.poll(() => held.length).toBe(31);
      const { id } = await create({ requests: [requestOf('one'), requestOf('two')] }, stranger);
      const theirs = async () => (await call(server, `${path}/${id}`, { key: stranger })).body as BatchJob;
      await expect.poll(async () => (await theirs()).status, { timeout: 20_000 }).toBe('SUCCESS');
      expect(held).toHaveLength(31);

      const waitsFor = async (job: string | undefined) =>
        (await call(server, `${path}/${job}`)).headers.get('tramontane-waits-for');
      // The two jobs that run share what may be under way, and one of them may have all of it.
      await expect
        .poll(async () => `${await waitsFor(hanging[0])}, ${await waitsFor(hanging[1])}`, { timeout: 20_000 })
        .toMatch(/\d+ requests wait for a response of 'small'/);
      expect((await get(hanging[2] ?? '')).status).toBe('QUEUED');
      expect(await waitsFor(hanging[2])).toBe('Its turn has not come: 2 earlier jobs of the workspace have not ended.');
      for (const job of hanging) await call(server, `${path}/${job}/cancel`, { method: 'POST' });
      for (const job of hanging) expect((await ended(job)).status).toBe('CANCELLED');
      for (const answer of held) answer();
      await call(server, `${path}/${id}`, { method: 'DELETE', key: stranger });
    },
  );

  it('cancel stops what was not asked yet and keeps what was answered; delete forgets an ended job only', async () => {
    const held: (() => void)[] = [];
    upstream.answerWith((asked, response) => {
      const [message] = asked.body.messages as { content: string }[];
      if (message?.content === 'quick') json(response, 200, completion('done'));
      else held.push(() => json(response, 200, completion('late')));
    });
    const requests = [requestOf('quick'), ...Array.from({ length: 60 }, (_, n) => requestOf(`slow${n}`))];
    const { id } = await create({ requests });
    await expect.poll(async () => (await get(id)).succeeded_requests).toBe(1);
    expect(await call(server, `${path}/${id}`, { method: 'DELETE' })).toMatchObject({ status: 409 });
    const asked = await call(server, `${path}/${id}/cancel`, { method: 'POST' });
    expect(asked.body).toMatchObject({ id, status: 'CANCELLATION_REQUESTED' });
    const job = await ended(id);
    expect(job).toMatchObject({ status: 'CANCELLED', total_requests: 61, succeeded_requests: 1, failed_requests: 0 });
    expect(job.outputs).toMatchObject([{ custom_id: 'quick' }]);
    expect((await call(server, `${path}/${id}/cancel`, { method: 'POST' })).body).toMatchObject({
      status: 'CANCELLED',
    });
    expect((await call(server, `${path}/${id}`, { method: 'DELETE' })).body).toEqual({
      id,
      object: 'batch',
      deleted: true,
    });
    expect((await call(server, `${path}/${id}`)).status).toBe(404);
    for (const answer of held) answer();
  });

  it('lists newest first, and by model, agent, metadata, status, time, owner and page', async () => {
    const mine = await create({ requests: [requestOf('x')], metadata: { run: 'seven' }, agent_id: 'ag_none' });
    const theirs = await create({ requests: [requestOf('y')], metadata: { run: 'eight' } }, colleague);
    await ended(mine.id);
    await ended(theirs.id);
    const list = async (query: string) =>
      (await call(server, `${path}?${query}`)).body as { data: BatchJob[]; total: number };
    const ids = async (query: string) => (await list(query)).data.map(({ id }) => id);
    expect((await ids('page_size=2')).slice(0, 2)).toEqual([theirs.id, mine.id]);
    expect((await ids('order_by=created')).slice(-2)).toEqual([mine.id, theirs.id]);
    expect(await ids('page_size=1&page=1')).toEqual([mine.id]);
    const metadata = encodeURIComponent('{"run":"seven"}');
    expect(await list(`metadata=${metadata}`)).toMatchObject({ object: 'list', total: 1, data: [{ id: mine.id }] });
    expect(await ids('agent_id=ag_none')).toEqual([mine.id]);
    expect(await ids('model=large')).toEqual([]);
    expect(await ids('created_by_me=true')).not.toContain(theirs.id);
    expect(await ids('status=QUEUED&status=RUNNING')).toEqual([]);
    expect(await ids('created_after=2999-01-01T00:00:00Z')).toEqual([]);
    expect((await ids('created_after=2020-01-01T00:00:00Z')).length).toBeGreaterThan(1);
  });

  it('takes a hundred conditions on metadata, and refuses more instead of failing', async () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, i) => [`k${i}`, 'v'] as const);
    const asJson = (count: number) =>
      `metadata=${encodeURIComponent(JSON.stringify(Object.fromEntries(pairs(count))))}`;
    const asNames = (count: number) =>
      pairs(count)
        .map(([name, value]) => `${name}=${value}`)
        .join('&');
    for (const query of [asJson(100), asNames(90)]) expect((await call(server, `${path}?${query}`)).status).toBe(200);
    for (const query of [asJson(101), asNames(1500)]) expect((await call(server, `${path}?${query}`)).status).toBe(422);
  });

  describe.runIf(isSqliteOrFull(database))('refuses', () => {
    it.each([
      ['no requests', {}, 'Send `requests`'],
      ['an empty list', { requests: [] }, 'empty'],
      ['both kinds of input', { requests: [requestOf('a')], input_files: [MISSING] }, 'not both'],
    ])('%s with 400', async (_, body, message) => {
      expect(await refused(body)).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    });

    it.each([
      ['an unknown endpoint', { endpoint: '/v1/nothing' }],
      ['a timeout beyond a week', { requests: [requestOf('a')], timeout_hours: 169 }],
      ['more than ten thousand requests', { requests: Array.from({ length: 10_001 }, () => ({ body: {} })) }],
    ])('%s with 422', async (_, body) => {
      expect((await refused(body)).status).toBe(422);
    });

    it("a missing file, another workspace's file and a file of another purpose", async () => {
      const foreign = await uploaded(server, '{}', { purpose: 'batch' }, { key: stranger });
      const other = await uploaded(server, '{}', { purpose: 'ocr' });
      for (const id of [MISSING, foreign.id]) expect((await refused({ input_files: [id] })).status).toBe(404);
      expect((await refused({ input_files: [other.id] })).status).toBe(400);
    });

    it('a thousand files, the last of which is missing, by one statement', async () => {
      const { id } = await uploaded(server, JSON.stringify(requestOf('a')), { purpose: 'batch' });
      const recorded = recordStatements(/"files"/);
      const ids = [...Array.from({ length: 999 }, () => id), MISSING];
      expect((await refused({ input_files: ids })).status).toBe(404);
      expect(recorded.statements).toHaveLength(1);
    });

    it('what is asked within a request as it would be over HTTP, and streams', async () => {
      const requests = [
        { custom_id: 's', body: { ...say('a'), stream: true } },
        { custom_id: 'm', body: { ...say('a'), model: 'unknown' } },
      ];
      const job = await ended((await create({ requests })).id);
      expect(job.outputs).toMatchObject([
        { response: { status_code: 400 }, error: { message: expect.stringContaining('stream') } },
        { response: { status_code: 400, body: { type: 'invalid_model', code: '1500' } } },
      ]);
    });

    it('a schema that is too expensive in one request, which no model is asked about; the others are answered', async () => {
      const format = { type: 'json_schema', json_schema: { name: 'answer', schema: doublingSchema } };
      const asked = upstream.calls.length;
      const requests = [
        { custom_id: 'costly', body: { ...say('a'), response_format: format } },
        { custom_id: 'plain', body: say('b') },
      ];
      const job = await ended((await create({ requests })).id);
      expect(job).toMatchObject({ status: 'SUCCESS', succeeded_requests: 1, failed_requests: 1 });
      const costly = job.outputs?.find(({ custom_id }) => custom_id === 'costly');
      expect(costly).toMatchObject({
        response: { status_code: 422, body: { detail: [{ type: 'schema_too_expensive' }] } },
      });
      expect(upstream.calls).toHaveLength(asked + 1);
    });
  });

  it.runIf(isSqliteOrFull(database))(
    'asks nothing for a job that was cancelled before it began, however close',
    async () => {
      const asked = new Set<string>();
      upstream.answerWith(({ body }, response) => {
        const [message] = body.messages as { content: string }[];
        asked.add(message?.content ?? '');
        json(response, 200, completion('ok'));
      });
      const unasked: string[] = [];
      for (let n = 0; n < 100; n++) {
        const { id } = await create({ requests: [requestOf(`never ${n}`)] });
        const { status } = (await call(server, `${path}/${id}/cancel`, { body: {} })).body as BatchJob;
        if (status === 'CANCELLED') unasked.push(`never ${n}`);
      }
      const { id } = await create({ requests: [requestOf('the last one')] });
      expect((await ended(id)).succeeded_requests).toBe(1);
      expect(unasked.length).toBeGreaterThan(0);
      expect(unasked.filter((content) => asked.has(content))).toEqual([]);
    },
  );

  it("another workspace's job looks missing, and a role without the permission is refused", async () => {
    const { id } = await create({ requests: [requestOf('a')] });
    await ended(id);
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/cancel'],
    ] as const) {
      const theirs = await call(server, `${path}/${id}${suffix}`, { method, key: stranger });
      const missing = await call(server, `${path}/${MISSING}${suffix}`, { method, key: stranger });
      expect(theirs.status).toBe(404);
      expect(theirs.text).toBe(missing.text.replaceAll(MISSING, id));
    }
    expect((await call(server, path, { key: stranger })).body).toEqual({ data: [], object: 'list', total: 0 });
    const billing = await addColleague(server, 'billing');
    expect((await call(server, path, { key: billing })).status).toBe(403);
    expect((await call(server, path, { key: 'none' })).status).toBe(401);
  });
});
