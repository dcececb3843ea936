import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { Failed } from './engines/embedded/worker-for-tests.ts';
import { startWorker, startWorkflows, WITHIN, type Workflows } from './workflows-for-tests.ts';

type Body = Record<string, unknown>;
const daily = { cron_expressions: ['0 3 * * *'], time_zone_name: 'Europe/Paris' };

onEachDatabase('/v1/workflows/schedules', (database) => {
  let workflows: Workflows;
  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await startWorker(
      workflows.server,
      {
        workflows: {
          count: async (_, input) => input,
          wait: async (ctx) => ctx.signal('go'),
          fail: async () => {
            throw new Failed({ message: 'no', type: 'Broken' });
          },
        },
        steps: {},
      },
      { count: { input_schema: { type: 'object', properties: { n: { type: 'integer' } } } } },
    );
  });
  const create = async (schedule: Body, more: Body = { workflow_identifier: 'count' }): Promise<string> => {
    const answer = await workflows.send('POST', '/schedules', { schedule: { input: { n: 1 }, ...schedule }, ...more });
    expect(answer.status, answer.text).toBe(201);
    return (answer.body as { schedule_id: string }).schedule_id;
  };
  const read = async (id: string) =>
    (await workflows.send('GET', `/schedules/${id}`)).body as Body & {
      recent_executions: Body[];
      future_executions: Body[];
    };
  const post = (id: string, deed: string, body?: unknown) => workflows.send('POST', `/schedules/${id}/${deed}`, body);

  it('a schedule is made, read, changed in part and deleted', async () => {
    const schedule_id = `s-${randomUUID()}`;
    expect(await create({ ...daily, max_executions: 5 }, { workflow_identifier: 'count', schedule_id })).toBe(
      schedule_id,
    );
    const shown = await read(schedule_id);
    expect(shown).toMatchObject({
      ...daily,
      schedule_id,
      input: { n: 1 },
      workflow_name: 'count',
      paused: false,
      note: null,
      remaining_executions: 5,
      recent_executions: [],
      policy: { overlap: 1, catchup_window_seconds: 31_536_000, pause_on_failure: false },
    });
    expect(shown.future_executions).toHaveLength(5);
    expect(
      (
        await workflows.send('PATCH', `/schedules/${schedule_id}`, {
          schedule: { input: { n: 2 }, policy: { overlap: 6 } },
        })
      ).body,
    ).toEqual({ schedule_id });
    expect(await read(schedule_id)).toMatchObject({ ...daily, input: { n: 2 }, policy: { overlap: 6 } });
    expect(await workflows.send('DELETE', `/schedules/${schedule_id}`)).toMatchObject({ status: 204, text: '' });
    expect((await workflows.send('GET', `/schedules/${schedule_id}`)).body).toMatchObject({ code: 'WF_1201' });
  });

  it.runIf(isSqliteOrFull(database))('starts each time once until its number is used up', async () => {
    const id = await create({ intervals: [{ every: 'PT1S' }], max_executions: 2, policy: { overlap: 6 } });
    await expect.poll(async () => (await read(id)).recent_executions.length, WITHIN).toBe(2);
    const { remaining_executions, recent_executions, future_executions } = await read(id);
    expect({ remaining_executions, future_executions }).toEqual({ remaining_executions: 0, future_executions: [] });
    const [last, first] = recent_executions;
    expect(Date.parse(String(last?.scheduled_at)) - Date.parse(String(first?.scheduled_at))).toBe(1000);
    const execution = `/executions/${encodeURIComponent(String(first?.execution_id))}`;
    await expect
      .poll(async () => (await workflows.send('GET', execution)).body, WITHIN)
      .toMatchObject({ status: 'COMPLETED', result: { n: 1 } });
    const { events } = (
      await workflows.send('GET', `/events/list?workflow_exec_id=${encodeURIComponent(String(first?.execution_id))}`)
    ).body as { events: Body[] };
    expect(events[0]).toMatchObject({ schedule_id: id });
  });

  it.runIf(isSqliteOrFull(database))(
    'with pause_on_failure starts nothing after an execution that failed, and says why',
    async () => {
      const policy = { overlap: 2, pause_on_failure: true };
      const id = await create({ intervals: [{ every: 'PT1S' }], policy }, { workflow_identifier: 'fail' });
      await expect
        .poll(() => read(id), WITHIN)
        .toMatchObject({ paused: true, note: 'Paused because an execution failed.', future_executions: [] });
      expect((await read(id)).recent_executions).toHaveLength(1);
      // Whoever has mended it lets it go on; the failure of then does not count again, the next one does.
      expect((await post(id, 'resume')).status).toBe(204);
      await workflows.send('DELETE', `/schedules/${id}`);
    },
  );

  it('takes changes and triggers that come at once, one after the other', async () => {
    const id = await create({ ...daily, policy: { overlap: 6 } });
    const policy = (n: number) => ({ schedule: { policy: { overlap: 6, catchup_window_seconds: 60 + n } } });
    const deeds = Array.from({ length: 12 }, (_, n) => [
      () => post(id, n % 2 ? 'pause' : 'resume'),
      () => workflows.send('PATCH', `/schedules/${id}`, policy(n)),
      () => post(id, 'trigger', { overlap: n % 2 ? 6 : 2 }),
    ]).flat();
    const answers = await Promise.all(deeds.map((deed) => deed()));
    const refused = answers.filter(({ status }) => status !== 200 && status !== 204);
    expect(refused.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
    await workflows.send('DELETE', `/schedules/${id}`);
  });

  it.runIf(isSqliteOrFull(database))('is paused with a note, triggered nevertheless, and resumed', async () => {
    const id = await create(daily, { workflow_identifier: 'wait' });
    expect(await post(id, 'pause', { note: 'holiday' })).toMatchObject({ status: 204 });
    expect(await read(id)).toMatchObject({ paused: true, note: 'holiday', future_executions: [] });
    expect((await post(id, 'trigger')).status).toBe(204);
    expect((await read(id)).recent_executions).toHaveLength(1);
    // What runs is not joined by a second one, unless the trigger says so.
    expect((await post(id, 'trigger', {})).status).toBe(204);
    expect((await read(id)).recent_executions).toHaveLength(1);
    expect((await post(id, 'trigger', { overlap: 5 })).status).toBe(204);
    const { recent_executions } = await read(id);
    const states = await Promise.all(
      recent_executions.map(
        async ({ execution_id }) =>
          ((await workflows.send('GET', `/executions/${encodeURIComponent(String(execution_id))}`)).body as Body)
            .status,
      ),
    );
    expect(states).toEqual(['RUNNING', 'TERMINATED']);
    expect((await post(id, 'resume')).status).toBe(204);
    expect(await read(id)).toMatchObject({ paused: false, note: null, future_executions: expect.arrayContaining([]) });
    await workflows.send('DELETE', `/schedules/${id}`);
  });

  it('are listed by workflow, user, state and the beginning of their names, in pages', async () => {
    const ids = [];
    for (const n of [1, 2, 3]) ids.push(await create(daily, { workflow_identifier: 'wait', schedule_id: `page_${n}` }));
    await post('page_2', 'pause', null);
    const list = async (query: string) =>
      (await workflows.send('GET', `/schedules?${query}`)).body as {
        schedules: Body[];
        next_page_token: string | null;
      };
    const names = async (query: string) => (await list(query)).schedules.map(({ schedule_id }) => schedule_id);
    expect(await names('workflow_name=wait&user_id=current')).toEqual(ids);
    expect(await names('search=PAGE_&status=paused')).toEqual(['page_2']);
    expect(await names('search=page%25')).toEqual([]);
    expect(await names('user_id=somebody')).toEqual([]);
    const first = await list('search=page_&page_size=2');
    expect(first.schedules).toHaveLength(2);
    expect(
      await names(`search=page_&page_size=2&next_page_token=${encodeURIComponent(first.next_page_token ?? '')}`),
    ).toEqual(['page_3']);
    for (const id of ids) await workflows.send('DELETE', `/schedules/${id}`);
  });

  describe('a stored schedule that today would be refused', () => {
    const everything = { start: 0, end: 59, step: 0 };
    const day = { day_of_month: [{ start: 1, end: 31, step: 0 }], month: [{ start: 1, end: 12, step: 0 }], year: [] };
    const week = { day_of_week: [{ start: 0, end: 6, step: 0 }] };
    const always = {
      ...day,
      ...week,
      second: [everything],
      minute: [everything],
      hour: [{ start: 0, end: 23, step: 0 }],
    };
    const poison = async (id: string, definition: unknown) => {
      const { db } = workflows.server.platform.database;
      await db
        .updateTable('workflow_schedules')
        .set({ definition: JSON.stringify(definition) })
        .where('id', '=', id)
        .execute();
    };
    /** As if it were time to plan again; a task that is running just now is met the next time. */
    const hurry = () =>
      workflows.server.platform.database.db
        .updateTable('tasks')
        .set({ state: 'ready', due_ms: null })
        .where('queue', '=', 'workflow-schedules')
        .where('state', '=', 'delayed')
        .execute();

    it.each([
      [
        'too expensive to plan',
        { calendars: Array.from({ length: 100 }, () => always), skip: [always] },
        'takes too long',
      ],
      ['with an empty field', { calendars: [{ ...always, second: [] }], skip: [] }, 'is not valid'],
    ])(
      'is paused with a reason when it is %s, and does not resume before it is changed',
      async (_, timetable, reason) => {
        const id = await create(daily);
        const { policy } = await read(id);
        await poison(id, { ...timetable, intervals: [], cron_expressions: [], policy });
        const note = async () => {
          await hurry();
          return String((await read(id)).note);
        };
        await expect.poll(note, WITHIN).toContain(reason);
        expect(await read(id)).toMatchObject({ paused: true, future_executions: [] });
        expect((await post(id, 'resume')).status).toBe(422);
        await workflows.send('PATCH', `/schedules/${id}`, { schedule: { ...daily, calendars: [], skip: [] } });
        expect(await post(id, 'resume')).toMatchObject({ status: 204 });
        expect(await read(id)).toMatchObject({ paused: false, note: null });
      },
    );
  });

  describe.runIf(isSqliteOrFull(database))('refusals', () => {
    it('422: a timetable that means nothing or never comes, an input that does not fit, no workflow', async () => {
      let lastType: string | undefined;
      const refused = async (schedule: Body, more: Body = { workflow_identifier: 'count' }) => {
        const { status, body } = await workflows.send('POST', '/schedules', {
          schedule: { input: {}, ...schedule },
          ...more,
        });
        expect(status).toBe(422);
        lastType = (body as { detail: { type: string }[] }).detail[0]?.type;
        return (body as { detail: { loc: unknown[] }[] }).detail[0]?.loc;
      };
      expect(await refused({})).toEqual(['body', 'schedule']);
      expect(await refused({ cron_expressions: ['0 0 30 2 *'] })).toEqual(['body', 'schedule']);
      expect(lastType).toBe('schedule_without_starts');
      const never = Array.from({ length: 100 }, () => '0 0 31 2,4,6,9,11 *');
      expect(await refused({ cron_expressions: never })).toEqual(['body', 'schedule']);
      expect(lastType).toBe('schedule_too_expensive');
      const empty = { calendars: [{ second: [] }], intervals: [{ every: 'PT1S' }], skip: [{ second: [] }] };
      expect(await refused(empty)).toEqual(['body', 'schedule', 'calendars', 0, 'second']);
      expect(await refused({ cron_expressions: ['61 * * * *'] })).toEqual(['body', 'schedule', 'cron_expressions', 0]);
      expect(await refused({ ...daily, time_zone_name: 'Nowhere' })).toEqual(['body', 'schedule', 'time_zone_name']);
      expect(await refused({ ...daily, input: { n: 'x' } })).toEqual(['body', 'schedule', 'input', 'n']);
      expect(await refused(daily, {})).toEqual(['body']);
      expect(await refused({ ...daily, color: 1 })).toEqual(['body', 'schedule', 'color']);
      expect(await refused({ ...daily, policy: { overlap: 7 } })).toEqual(['body', 'schedule', 'policy', 'overlap']);
    });

    it('404 and 409: nothing to schedule, and a name that is taken', async () => {
      const schedule = { input: {}, ...daily };
      expect(
        (await workflows.send('POST', '/schedules', { schedule, workflow_identifier: 'nothing' })).body,
      ).toMatchObject({ code: 'WF_1100' });
      const schedule_id = await create(daily, { workflow_identifier: 'count', schedule_id: `s-${randomUUID()}` });
      expect(
        await workflows.send('POST', '/schedules', { schedule, workflow_identifier: 'count', schedule_id }),
      ).toMatchObject({ status: 409, body: { code: 'WF_1200' } });
    });
  });
});
