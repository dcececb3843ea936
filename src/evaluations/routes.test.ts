import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import type { Run, RunRecord } from './schema/runs.ts';

const OBSERVABILITY = '/v1/observability';
const RUNS = `${OBSERVABILITY}/evaluation-runs_v2`;
const START = `${OBSERVABILITY}/evaluations_v2/capitals/runs`;
const RECORDS = 12;

onEachDatabase('evaluations', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let stranger: string;
  let chatter: string;
  let datasetId: string;
  let hold: Promise<void> = Promise.resolve();
  const asked: string[] = [];

  beforeAll(async () => {
    upstream = await startUpstream();
    const price = { prompt: 10, completion: 100 };
    const models = ['good', 'bad', 'judge'].map((id) => ({
      id,
      engine: 'upstream',
      url: upstream.url,
      kind: 'chat',
      price,
    }));
    server = await startTestServer(database, { file: { models } });
    stranger = await addStranger(server);
    chatter = await addColleague(server, 'workflow_executor');
    upstream.answerWith(async ({ body }, response) => {
      const messages = body.messages as { content: string }[];
      if (body.model === 'judge') {
        const answer = messages.at(-1)?.content.includes('"content":"right"') ? 1 : 0;
        return json(response, 200, completion(JSON.stringify({ analysis: 'Because.', answer })));
      }
      await hold;
      asked.push(String(messages.at(-1)?.content));
      return json(response, 200, completion(body.model === 'good' ? 'right' : 'wrong'));
    });
    await call(server, `${OBSERVABILITY}/projects`, { body: { name: 'Geography' } });
    await call(server, `${OBSERVABILITY}/projects/geography/evaluations_v2`, {
      body: { name: 'Capitals', tags: ['a'] },
    });
    const dataset = await call(server, `${OBSERVABILITY}/datasets`, { body: { name: 'Capitals', description: '' } });
    datasetId = (dataset.body as { id: string }).id;
    for (let i = 0; i < RECORDS; i++)
      await call(server, `${OBSERVABILITY}/datasets/${datasetId}/records`, {
        body: {
          payload: { messages: [{ role: 'user', content: `City ${i}?` }] },
          properties: { expected: 'right' },
        },
      });
    const output = { type: 'REGRESSION', min: 0, max: 1, min_description: 'wrong', max_description: 'right' };
    await call(server, `${OBSERVABILITY}/judges`, {
      body: { name: 'truth', description: '', model_name: 'judge', instructions: 'Is it right?', tools: [], output },
    });
  });

  const plan = (model: string, more: object = {}) => ({
    system: { kind: 'model', model },
    dataset_id: datasetId,
    evaluators: [
      { judge: 'truth', goal: { operator: 'gte', value: 1 }, aggregate_goal: { operator: 'gte', value: 0.9 } },
      { check: 'exact_match' },
    ],
    ...more,
  });

  async function read(id: string): Promise<Run & { run_info: Record<string, Record<string, number>> }> {
    return (await call(server, `${RUNS}/${id}`)).body as never;
  }
  async function start(model: string, more: object = {}): Promise<string> {
    const answer = await call(server, START, { body: plan(model, more) });
    expect(answer.status, answer.text).toBe(201);
    return (answer.body as Run).id;
  }
  async function finished(id: string, status = 'completed') {
    await vi.waitFor(async () => expect(await read(id)).toMatchObject({ status }), { timeout: 20_000 });
    return read(id);
  }

  let good: string;
  let bad: string;

  it('a run answers and scores every record of its dataset once, and knows what that cost', async () => {
    good = await start('good');
    const run = await finished(good);
    expect(run).toMatchObject({
      passed: true,
      dataset_id: datasetId,
      system: { kind: 'model', params: { model: 'good' } },
      statistics: { truth: { type: 'numeric', avg: 1, count: RECORDS }, exact_match: { avg: 1, std: 0 } },
      goal_results: { truth: { passed: true } },
      run_info: { progress: { total: RECORDS, completed: RECORDS, failed: 0, pending: 0 } },
    });
    expect(new Set(asked).size).toBe(RECORDS);
    expect(asked).toHaveLength(RECORDS);
    // Two requests for each record, of 7 and 3 tokens each.
    expect(run.run_info.cost?.spent).toBeCloseTo((RECORDS * 2 * (7 * 10 + 3 * 100)) / 1_000_000);
  });

  it.runIf(isSqliteOrFull(database))('what a run costs is estimated before it starts', async () => {
    const answer = await call(server, `${START}/estimate`, { body: plan('good') });
    expect(answer.body).toMatchObject({ records: RECORDS, requests: 2 * RECORDS, cost: expect.any(Number) });
    expect((answer.body as { cost: number }).cost).toBeGreaterThan(0);
  });

  it('a comparison names what got worse, and says so only when chance is no explanation', async () => {
    bad = await start('bad');
    expect(await finished(bad)).toMatchObject({ passed: false });
    const { body } = await call(server, `${RUNS}/${bad}/comparison?baseline=${good}&limit=3`);
    expect(body).toMatchObject({
      run_id: bad,
      evaluators: [
        {
          evaluator: 'truth',
          records: RECORDS,
          better: 0,
          worse: RECORDS,
          difference: { value: -1 },
          verdict: 'worse',
        },
        { evaluator: 'exact_match', records_worse: [{ value: 0, baseline_value: 1 }, {}, {}], records_better: [] },
      ],
    });
    const same = await call(server, `${RUNS}/${good}/comparison?baseline=${good}`);
    expect(same.body).toMatchObject({
      evaluators: [{ same: RECORDS, verdict: 'no_clear_difference', p_value: 1 }, {}],
    });
  });

  it('a stopped run is taken up where it ended, and answers no record twice', async () => {
    let release: () => void = () => undefined;
    hold = new Promise((resolve) => {
      release = resolve;
    });
    asked.length = 0;
    const id = await start('good', { name: 'stopped', metadata: { commit: 'abc', number: 7 } });
    await vi.waitFor(async () => expect((await read(id)).status).toBe('running'), { timeout: 10_000 });
    expect((await call(server, `${RUNS}/${id}/stop`, { body: {} })).status).toBe(200);
    release();
    hold = Promise.resolve();
    await finished(id, 'stopped');
    expect((await call(server, `${RUNS}/${id}/resume`, { body: {} })).body).toMatchObject({ status: 'queued' });
    expect(await finished(id)).toMatchObject({ run_info: { progress: { completed: RECORDS } } });
    expect(asked).toHaveLength(RECORDS);
  });

  describe('searches', () => {
    const search = async (path: string, body: object) => (await call(server, path, { body })).body as never;
    const names = async (filter: object) => {
      const { runs } = (await search(`${RUNS}/search`, filter)) as { runs: { results: Run[] } };
      return runs.results.map(({ name }) => name);
    };

    it('runs are found by score, goal, system, metadata and owner', async () => {
      const score = { evaluator_name: 'truth', metric: 'avg', operator: 'lt', value: 0.5 };
      expect(await names({ score_filters: { filters: [score] } })).toEqual(['bad']);
      expect(await names({ goal_filters: { filters: [{ values: ['failed'] }] } })).toEqual(['bad']);
      expect(await names({ goal_filters: { filters: [{ values: ['passed'], evaluator_name: 'truth' }] } })).toEqual([
        'stopped',
        'good',
      ]);
      expect(await names({ system: { name: { filters: [{ value: 'BA' }] } } })).toEqual(['bad']);
      expect(
        await names({ system: { params: { filters: [{ key: 'model', operator: 'eq', value: 'bad' }] } } }),
      ).toEqual(['bad']);
      expect(await names({ metadata: { filters: [{ key: 'number', operator: 'gt', value: 6 }] } })).toEqual([
        'stopped',
      ]);
      expect(await names({ metadata: { filters: [{ key: 'commit', operator: 'contains', value: 'B' }] } })).toEqual([
        'stopped',
      ]);
      expect(await names({ run_ids: [good] })).toEqual(['good']);
      expect(await names({ tags: { values: ['none'] } })).toEqual([]);
      expect(await names({ project_ids: ['none'] })).toEqual([]);
      expect(await names({ ownership: { starred_by_me: true } })).toEqual([]);
    });

    it('records are found by content, score and goal, and sorted by score', async () => {
      const records = async (filter: object) => {
        const found = (await search(`${RUNS}/${bad}/records/search`, filter)) as {
          records: { results: RunRecord[]; count: number };
        };
        return found.records;
      };
      expect((await records({ input_filters: { filters: [{ value: 'CITY 3?' }] } })).count).toBe(1);
      const at = { value: 'City 4?', path: 'messages.0.content', operator: 'equals' };
      expect((await records({ input_filters: { filters: [at] } })).results[0]).toMatchObject({
        input: { messages: [{ role: 'user', content: 'City 4?' }] },
        output_record: {
          generations: [{ output: { content: 'wrong' }, scores: { truth: [{ value: 0, rationale: 'Because.' }] } }],
        },
      });
      expect((await records({ output_filters: { filters: [{ value: 'right' }] } })).count).toBe(0);
      expect((await records({ goal_filters: { filters: [{ values: ['failed'] }] } })).count).toBe(RECORDS);
      expect(
        (await records({ sort: { kind: 'score', evaluator_name: 'truth', direction: 'desc' } })).results,
      ).toHaveLength(RECORDS);
      const statistics = await search(`${RUNS}/${bad}/statistics/compute`, {
        input_filters: { filters: [{ value: 'City 1' }] },
      });
      expect(statistics).toMatchObject({ statistics: { truth: { count: 3, avg: 0 } } });
      const [first] = (await records({})).results;
      expect((await call(server, `${RUNS}/${bad}/records/${first?.id}`)).body).toMatchObject({ id: first?.id });
    });
  });

  it.runIf(isSqliteOrFull(database))('a mistake in a plan is a 422 that says what to do', async () => {
    const refused = async (more: object) => {
      const answer = await call(server, START, { body: plan('good', more) });
      expect(answer.status, answer.text).toBe(422);
    };
    await refused({ system: { kind: 'model', model: 'nothing-of-the-kind' } });
    await refused({ evaluators: [{ check: 'exact_match' }, { check: 'exact_match' }] });
    await refused({ evaluators: [{}] });
    await refused({ surprise: true });
    expect((await call(server, START, { body: plan('good', { dataset_id: 'none' }) })).status).toBe(404);
  });

  it.runIf(isSqliteOrFull(database))(
    'other workspaces find nothing, keys without the permission get 403, and no key 401',
    async () => {
      const paths = [
        `${OBSERVABILITY}/projects/geography`,
        `${OBSERVABILITY}/evaluations_v2/capitals`,
        `${RUNS}/${good}`,
        `${RUNS}/${good}/statistics`,
      ];
      for (const path of paths) {
        expect((await call(server, path, { key: stranger })).status).toBe(404);
        expect((await call(server, path, { key: chatter })).status).toBe(403);
        expect((await call(server, path, { key: 'wrong' })).status).toBe(401);
      }
      expect((await call(server, START, { body: plan('good'), key: stranger })).status).toBe(404);
      expect((await call(server, `${RUNS}/search`, { body: {}, key: stranger })).body).toMatchObject({
        runs: { count: 0 },
      });
    },
  );

  it.runIf(isSqliteOrFull(database))('an optimization runs every candidate and names the best', async () => {
    const { system: _, ...rest } = plan('good');
    const candidates = ['bad', 'good'].map((model) => ({ kind: 'model', model }));
    const objective = { evaluator_name: 'truth' };
    const body = { ...rest, evaluation: 'capitals', name: 'Which?', candidates, objective, tags: ['x'] };
    const created = await call(server, `${OBSERVABILITY}/optimizations`, { body });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body as { id: string };
    const path = `${OBSERVABILITY}/optimizations/${id}`;
    await vi.waitFor(async () => expect((await call(server, path)).body).toMatchObject({ status: 'completed' }), {
      timeout: 20_000,
    });
    expect((await call(server, path)).body).toMatchObject({ outcome: { system: 'good', score: 1 } });
    expect((await call(server, `${path}/trials`)).body).toMatchObject({
      trials: { count: 2, results: [{ observations: [{ score: 0 }] }, { observations: [{ score: 1 }] }] },
    });
    const list = `${OBSERVABILITY}/optimizations?evaluation=capitals&tags=x&status=completed`;
    expect((await call(server, list)).body).toMatchObject({ optimizations: { count: 1 } });
    expect((await call(server, path, { key: stranger })).status).toBe(404);
  });

  describe('pipelines', () => {
    const selectors = [{ source_kind: 'span', filter: "operation_name = 'chat'" }];
    const detection = {
      pipeline_kind: 'detection',
      name: 'Words',
      selectors,
      definition: {
        target_attributes: ['output_messages'],
        patterns: [{ name: 'rightness', regex: 'ri+ght', category: 'found', confidence: 'high' }],
      },
    };

    it('are created, listed, changed and deleted, with a copy of each judge', async () => {
      const body = { name: 'Live', selectors, definitions: [{ slug: 'truth' }] };
      const created = await call(server, `${OBSERVABILITY}/pipelines`, { body });
      expect(created.status, created.text).toBe(201);
      const { id } = created.body as { id: string };
      expect(created.body).toMatchObject({
        slug: 'live',
        pipeline_configs: [
          { pipeline_kind: 'judge-v1', definition: { model: 'judge', result_spec: { type: 'numeric' } } },
        ],
      });
      const path = `${OBSERVABILITY}/pipelines/${id}`;
      const changed = await call(server, path, { method: 'PUT', body: { enabled: false } });
      expect(changed.body).toMatchObject({ enabled: false, pipeline_configs: [{ enabled: false }] });
      expect((await call(server, `${OBSERVABILITY}/pipelines?q=LIV&enabled=false`)).body).toMatchObject({
        pipelines: { count: 1 },
      });
      expect((await call(server, path, { key: stranger })).status).toBe(404);
      expect((await call(server, path, { method: 'DELETE' })).status).toBe(204);
      expect((await call(server, path)).status).toBe(404);
    });

    it.runIf(isSqliteOrFull(database))('a filter, kind or definition that cannot be used is a 422', async () => {
      const refused = async (more: object) => {
        const answer = await call(server, `${OBSERVABILITY}/pipeline-configs`, { body: { ...detection, ...more } });
        expect(answer.status, answer.text).toBe(422);
      };
      await refused({ selectors: [{ source_kind: 'span', filter: 'nothing = 1' }] });
      await refused({ selectors: [{ source_kind: 'log' }] });
      await refused({ pipeline_kind: 'judge' });
      await refused({
        pipeline_kind: 'export',
        definition: { destination: { protocol: 'http', endpoint: 'https://x.example' } },
      });
      await refused({ slug: 'Not A Slug' });
    });

    inFull.it(
      'judge live spans whose contents are kept, once, and the results can be searched',
      async () => {
        const config = await call(server, `${OBSERVABILITY}/pipeline-configs`, { body: detection });
        expect(config.status, config.text).toBe(201);
        const message = { role: 'user', content: 'live' };
        const chat = await call(server, '/v1/chat/completions', { body: { model: 'good', messages: [message] } });
        expect(chat.status).toBe(200);
        const id = chat.headers.get('x-request-id');
        const { db } = await database.open();
        const span = await vi.waitFor(async () => {
          const found = db
            .selectFrom('spans')
            .select(['workspace_id', 'start_us', 'span_id'])
            .where('request_id', '=', String(id));
          return found.executeTakeFirstOrThrow();
        }, 10_000);
        const content = {
          input_messages: JSON.stringify([message]),
          output_messages: '[{"role":"assistant","content":"right"}]',
        };
        const empty = { system_instructions: '', tool_definitions: '', tool_call_arguments: '', tool_call_result: '' };
        await db
          .insertInto('span_contents')
          .values({ ...span, ...content, ...empty } as never)
          .execute();
        const search = async (path: string, body: object = {}) =>
          (await call(server, `${OBSERVABILITY}/${path}`, { body })).body;
        await vi.waitFor(
          async () =>
            expect(
              await search('spans/evaluations/search', { search_expression: "score_label = 'found'" }),
            ).toMatchObject({
              span_evaluations: { results: [{ span_id: span.span_id, score_value: 1, evaluation_name: 'Words' }] },
            }),
          { timeout: 40_000, interval: 500 },
        );
        expect(await search('spans/evaluations/search/latest')).toMatchObject({ span_evaluations: { results: [{}] } });
        expect(await search('pipeline-results/search', { pipeline_config_slugs: ['words'] })).toMatchObject({
          pipeline_results: { results: [{ judge_labels: { Words: 'found' } }] },
        });
        const metric = { measure: 'score_value', aggregation: 'avg' };
        expect(await search('spans/evaluations/aggregate', { metric, dimensions: ['score_label'] })).toMatchObject({
          data: [{ metric_value: 1, dimensions: { score_label: 'found' } }],
        });
        const options = await call(server, `${OBSERVABILITY}/spans/evaluations/fields/score_label/options`);
        expect(options.body).toEqual({ options: ['found'] });
      },
      60_000,
    );
  });

  it('the reasons of judges are cleared with the contents they are about, and scores stay', async () => {
    const { db } = await database.open();
    const { workspace_id } = await db.selectFrom('evaluation_runs').select('workspace_id').executeTakeFirstOrThrow();
    const rowOf = (n: number, user_id: string, conversation_id: string) => ({
      ...{ workspace_id, start_us: n, span_id: `reason-${n}`, organization_id: 'o', user_id, trace_id: 't' },
      ...{ response_id: '', conversation_id, span_name: 'chat', duration_ns: 1, config_id: `c${n}`, config_slug: 'c' },
      ...{ evaluation_name: 'e', score_value: 1, score_label: 'good', explanation: 'They said viola.', details: null },
    });
    const somebody = '0198c0de-0000-7000-8000-00000000000a';
    const rows = [rowOf(1, somebody, ''), rowOf(2, 'another', 'conv_gone'), rowOf(3, 'another', '')];
    for (const row of rows) await db.insertInto('span_evaluations').values(row).execute();
    const left = async () =>
      (await db.selectFrom('span_evaluations').selectAll().where('explanation', '<>', '').execute())
        .map(({ span_id }) => span_id)
        .filter((id) => id.startsWith('reason-'))
        .sort();
    const path = `${OBSERVABILITY}/contents`;
    expect((await call(server, `${path}?user_id=${somebody}`, { method: 'DELETE' })).status).toBe(204);
    expect(await left()).toEqual(['reason-2', 'reason-3']);
    expect((await call(server, path, { method: 'DELETE' })).status).toBe(204);
    expect(await left()).toEqual([]);
    const scores = await db.selectFrom('span_evaluations').select('score_value').where('trace_id', '=', 't').execute();
    expect(scores).toHaveLength(3);
  });

  it('projects and evaluations are deleted when they are empty, and a run with all its records', async () => {
    const remove = async (path: string) => (await call(server, path, { method: 'DELETE' })).status;
    expect(await remove(`${OBSERVABILITY}/projects/geography`)).toBe(409);
    expect(await remove(`${OBSERVABILITY}/evaluations_v2/capitals`)).toBe(409);
    expect(await remove(`${RUNS}/${bad}`)).toBe(204);
    expect(await remove(`${RUNS}/${bad}`)).toBe(404);
  });
});
