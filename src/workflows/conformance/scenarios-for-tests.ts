import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { addStranger } from '../../../test/support/people.ts';
import type { At, Execution } from './open-engine-for-tests.ts';

/** What an engine must do, by the name of the promise. Each begins its own executions and minds no others. */
export const scenarios: Record<string, (at: At) => Promise<void>> = {
  'three steps run one after another': async (at) => {
    expect(await at.result('three-steps', { start: 1 })).toEqual({ sum: 4 });
  },

  'steps run side by side': async (at) => {
    expect(await at.result('side-by-side')).toEqual([2, 4, 6, 8]);
  },

  'events have their order and their shape': async (at) => {
    const id = await at.begin('three-steps', { start: 1 });
    const { run_id } = await at.endOf(id);
    const events = await at.events(id);
    expect(events.map(({ event_type, attributes }) => [event_type, attributes.task_id])).toEqual([
      ['WORKFLOW_EXECUTION_STARTED', run_id],
      ...['1', '2', '3'].flatMap((step) => [
        ['ACTIVITY_TASK_STARTED', step],
        ['ACTIVITY_TASK_COMPLETED', step],
      ]),
      ['WORKFLOW_EXECUTION_COMPLETED', run_id],
    ]);
    for (const event of events)
      expect(event).toMatchObject({
        root_workflow_exec_id: id,
        workflow_exec_id: id,
        workflow_run_id: run_id,
        parent_workflow_exec_id: null,
        workflow_name: 'three-steps',
        event_timestamp: expect.any(Number),
      });
    const json = (value: unknown) => ({ type: 'json', value });
    expect(events.map(({ attributes }) => attributes).slice(0, 3)).toEqual([
      {
        task_id: run_id,
        workflow_name: 'three-steps',
        display_name: 'three-steps',
        input: json({ start: 1 }),
        attempt: 1,
      },
      { task_id: '1', activity_name: 'add', input: json([{ a: 1, b: 1 }]) },
      { task_id: '1', activity_name: 'add', result: json(2) },
    ]);
    expect(events.at(-1)?.attributes).toEqual({ task_id: run_id, result: json({ sum: 4 }), attempt: 1 });
  },

  'the stream of an execution shows all and ends with it': async (at) => {
    const id = await at.begin('three-steps', { start: 1 });
    const { text } = await at.send(`/executions/${id}/stream`);
    const seen = [...text.matchAll(/"event_type":"(\w+)"/g)].map(([, type]) => type);
    expect(seen).toEqual(await at.types(id));
    expect(seen).toHaveLength(8);
  },

  'the history has the names of its events': async (at) => {
    const id = await at.begin('three-steps', { start: 1 });
    await at.endOf(id);
    const turn = ['WORKFLOW_TASK_SCHEDULED', 'WORKFLOW_TASK_STARTED', 'WORKFLOW_TASK_COMPLETED'];
    const step = ['ACTIVITY_TASK_SCHEDULED', 'ACTIVITY_TASK_STARTED', 'ACTIVITY_TASK_COMPLETED'];
    const all = [...turn, ...step];
    expect(await at.history(id)).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      ...[...all, ...all, ...all],
      ...turn,
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
    const { body } = await at.send(`/executions/${id}/history?decode_payloads=true`);
    const { events } = body as { events: Record<string, unknown>[] };
    expect(events[0]?.workflowExecutionStartedEventAttributes).toMatchObject({ input: { start: 1 }, attempt: '1' });
    expect(events[4]?.activityTaskScheduledEventAttributes).toMatchObject({
      activityId: '1',
      activityName: 'add',
      input: [{ a: 1, b: 1 }],
    });
    expect(events[6]?.activityTaskCompletedEventAttributes).toMatchObject({ scheduledEventId: '5', result: 2 });
  },

  'a step is tried again until it succeeds': async (at) => {
    const id = await at.begin('retried', { file: at.newFile() });
    expect(await at.endOf(id)).toMatchObject({ status: 'COMPLETED', result: 3 });
    expect(await at.types(id)).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      'ACTIVITY_TASK_STARTED',
      'ACTIVITY_TASK_RETRYING',
      'ACTIVITY_TASK_RETRYING',
      'ACTIVITY_TASK_COMPLETED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
    const retrying = (await at.events(id)).filter(({ event_type }) => event_type === 'ACTIVITY_TASK_RETRYING');
    expect(retrying.map(({ attributes }) => attributes)).toEqual(
      [1, 2].map((attempt) => ({
        task_id: '1',
        activity_name: 'count',
        attempt,
        failure: { message: `attempt ${attempt} fails` },
      })),
    );
  },

  'a step that fails for good fails the execution': async (at) => {
    const answer = await at.execute('failing', { file: at.newFile() });
    expect(answer).toMatchObject({ status: 409, body: { code: 'WF_1113', status: 'FAILED' } });
    const { execution_id, detail } = answer.body as { execution_id: string; detail: string };
    expect(detail).toContain('The step "count" failed after 2 attempts: attempt 2 fails');
    expect((await at.types(execution_id)).slice(1)).toEqual([
      'ACTIVITY_TASK_STARTED',
      'ACTIVITY_TASK_RETRYING',
      'ACTIVITY_TASK_FAILED',
      'WORKFLOW_EXECUTION_FAILED',
    ]);
    expect((await at.events(execution_id)).at(-1)?.attributes).toMatchObject({
      attempt: 1,
      failure: { message: expect.stringContaining('attempt 2 fails') },
    });
  },

  'an error that says so is not tried again': async (at) => {
    const answer = await at.execute('refused');
    const { execution_id, detail } = answer.body as { execution_id: string; detail: string };
    expect(detail).toContain('The step "refuse" failed: no such account');
    expect(await at.types(execution_id)).not.toContain('ACTIVITY_TASK_RETRYING');
  },

  'what the code throws fails the execution': async (at) => {
    expect(await at.execute('throwing')).toMatchObject({
      status: 409,
      body: { status: 'FAILED', detail: expect.stringContaining('the code itself is wrong') },
    });
  },

  'an attempt that takes too long is ended': async (at) => {
    const id = await at.begin('slow-step');
    expect((await at.endOf(id)).result).toEqual({
      name: 'StepFailed',
      caught: `The step "dawdle" failed after 2 attempts: An attempt of the step 'dawdle' was not done after 300 ms.`,
    });
    expect((await at.types(id)).slice(1, -1)).toEqual([
      'ACTIVITY_TASK_STARTED',
      'ACTIVITY_TASK_RETRYING',
      'ACTIVITY_TASK_FAILED',
    ]);
  },

  'timers last as long as they were set': async (at) => {
    expect(await at.result('timer')).toEqual({ isLate: true, met: false });
  },

  'time and chance are the run’s own': async (at) => {
    expect(await at.result('chance')).toMatchObject({
      isNumber: true,
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
    });
  },

  'signals, queries and updates reach the code': async (at) => {
    const id = await at.begin('talker');
    const tell = (kind: string, name: string, input: unknown) => at.send(`/executions/${id}/${kind}`, { name, input });
    expect(await tell('signals', 'say', { words: 'one' })).toMatchObject({ status: 202 });
    await at.until(async () => (await tell('queries', 'heard', {})).text.includes('one'));
    expect((await tell('queries', 'heard', {})).body).toEqual({ query_name: 'heard', result: ['one'] });
    expect((await tell('updates', 'rename', { name: 'Ada' })).body).toEqual({
      update_name: 'rename',
      result: { was: 'nobody' },
    });
    expect((await tell('updates', 'work', { a: 41 })).body).toEqual({ update_name: 'work', result: 42 });
    await tell('signals', 'stop', {});
    expect((await at.endOf(id)).result).toEqual({ heard: ['one'], name: 'Ada' });
    expect((await tell('queries', 'heard', {})).body).toMatchObject({ result: ['one'] });
    expect(await tell('signals', 'say', { words: 'late' })).toMatchObject({
      status: 409,
      body: { code: 'WF_1102', status: 'COMPLETED' },
    });
  },

  'what a handler refuses is told to who asked': async (at) => {
    const id = await at.begin('talker');
    const tell = (kind: string, name: string, input: unknown) => at.send(`/executions/${id}/${kind}`, { name, input });
    expect(await tell('updates', 'rename', { name: '' })).toMatchObject({
      status: 409,
      body: { code: 'WF_1114', detail: "The update 'rename' failed: a name is needed" },
    });
    expect(await tell('queries', 'broken', {})).toMatchObject({
      status: 409,
      body: { code: 'WF_1114', detail: "The query 'broken' failed: cannot be read" },
    });
    expect(await tell('updates', 'rename', { name: 1 })).toMatchObject({ status: 422 });
    expect(await tell('updates', 'no-such', {})).toMatchObject({ status: 422 });
    expect(await tell('signals', 'no-such', {})).toMatchObject({ status: 422 });
    await tell('signals', 'stop', {});
    expect((await at.endOf(id)).result).toEqual({ heard: [], name: 'nobody' });
  },

  'signals wait for who receives them, in their order': async (at) => {
    const id = await at.begin('receiver');
    for (const n of [1, 2]) await at.send(`/executions/${id}/signals`, { name: 'item', input: { n } });
    expect((await at.endOf(id)).result).toEqual({ first: { n: 1 }, second: { n: 2 }, none: null });
  },

  'a cancelled execution cleans up': async (at) => {
    const file = at.newFile();
    const id = await at.begin('cleaner', { file });
    await at.until(async () => (await at.history(id)).includes('TIMER_STARTED'));
    expect((await at.send(`/executions/${id}/cancel`, undefined, { method: 'POST' })).status).toBe(204);
    expect(await at.endOf(id)).toMatchObject({ status: 'CANCELED' });
    expect(await at.written(file)).toBe('x');
    expect((await at.events(id)).at(-1)).toMatchObject({
      event_type: 'WORKFLOW_EXECUTION_CANCELED',
      attributes: { reason: 'The execution was cancelled.', attempt: 1 },
    });
    const names = await at.history(id);
    expect(names).toContain('WORKFLOW_EXECUTION_CANCEL_REQUESTED');
    expect(names.at(-1)).toBe('WORKFLOW_EXECUTION_CANCELED');
  },

  'a cancellation reaches a running step': async (at) => {
    const file = at.newFile();
    const id = await at.begin('stopper', { file });
    await at.until(async () => (await at.types(id)).includes('ACTIVITY_TASK_STARTED'));
    await at.send(`/executions/${id}/cancel`, undefined, { method: 'POST' });
    expect(await at.endOf(id)).toMatchObject({ status: 'CANCELED' });
    expect(await at.written(file)).toBe('stopped');
  },

  'code that goes on after its cancellation completes': async (at) => {
    const id = await at.begin('survivor');
    await at.until(async () => (await at.history(id)).includes('TIMER_STARTED'));
    await at.send(`/executions/${id}/cancel`, undefined, { method: 'POST' });
    expect(await at.endOf(id)).toMatchObject({ status: 'COMPLETED', result: { caught: 'Cancelled' } });
  },

  'a termination asks nobody': async (at) => {
    const id = await at.begin('sleeper', { who: 'Ada' });
    expect((await at.send(`/executions/${id}/terminate`, undefined, { method: 'POST' })).status).toBe(204);
    expect(await at.read(id)).toMatchObject({ status: 'TERMINATED' });
    expect((await at.events(id)).at(-1)).toMatchObject({
      event_type: 'WORKFLOW_EXECUTION_CANCELED',
      attributes: { reason: 'Terminated' },
    });
    expect((await at.history(id)).at(-1)).toBe('WORKFLOW_EXECUTION_TERMINATED');
    expect(await at.send(`/executions/${id}/cancel`, undefined, { method: 'POST' })).toMatchObject({ status: 409 });
  },

  'an execution that takes too long is timed out, and its stream ends': async (at) => {
    const id = await at.begin('brief');
    const { text } = await at.send(`/executions/${id}/stream`);
    expect(text).toContain('The execution was not done after 1000 ms, which is its timeout.');
    expect(await at.read(id)).toMatchObject({ status: 'TIMED_OUT' });
  },

  'a child is an execution of its own in the same tree': async (at) => {
    const id = await at.begin('parent', { how: 'waits' });
    const { run_id, result } = await at.endOf(id);
    expect(result).toEqual({ sum: 13 });
    const events = await at.events(id);
    const child = `${run_id}:1`;
    expect(events.filter((event) => event.workflow_exec_id === child).map(({ event_type }) => event_type)).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      ...['1', '2', '3'].flatMap(() => ['ACTIVITY_TASK_STARTED', 'ACTIVITY_TASK_COMPLETED']),
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
    expect(events.find((event) => event.workflow_exec_id === child)).toMatchObject({ parent_workflow_exec_id: id });
    expect(await at.read(child)).toMatchObject({
      parent_execution_id: id,
      root_execution_id: id,
      status: 'COMPLETED',
      workflow_name: 'three-steps',
    });
  },

  'what becomes of a child is told to its parent': async (at) => {
    const [failed, unknown, nobody] = await Promise.all([
      at.result('parent', { how: 'failing' }),
      at.result('parent', { how: 'unknown' }),
      at.result('parent', { how: 'nobody' }),
    ]);
    expect(failed).toEqual({
      name: 'ChildFailed',
      message: 'The child workflow "throwing" failed: the code itself is wrong',
    });
    expect(unknown).toContain('The child workflow "nobody-has-this" failed: No workflow');
    expect(nobody).toBe('SignalFailed');
  },

  'a child that is not waited for lives on, and hears signals': async (at) => {
    const id = await at.begin('parent', { how: 'started' });
    expect((await at.endOf(id)).result).toEqual({ id: `${id}-child` });
    expect(await at.endOf(`${id}-child`)).toMatchObject({
      status: 'COMPLETED',
      result: { heard: ['from the parent'], name: 'nobody' },
    });
  },

  'continue-as-new goes on in a new run': async (at) => {
    const id = await at.begin('rounds', { left: 2, sum: 0 });
    const answer = await at.send(`/rounds/execute`, { input: { left: 1, sum: 5 }, wait_for_result: true });
    expect(answer.body).toMatchObject({ result: { sum: 6 } });
    const last = await at.until(async () => {
      const execution = await at.read(id);
      return execution.status === 'COMPLETED' && execution;
    });
    expect(last.result).toEqual({ sum: 3 });
    const { body } = await at.send(`/runs?search=${id}`);
    const { executions } = body as { executions: Execution[] };
    expect(executions.map(({ status }) => status).toSorted()).toEqual([
      'COMPLETED',
      'CONTINUED_AS_NEW',
      'CONTINUED_AS_NEW',
    ]);
    expect(await at.types(id)).toEqual([
      ...[1, 2].flatMap(() => [
        'WORKFLOW_EXECUTION_STARTED',
        'ACTIVITY_TASK_STARTED',
        'ACTIVITY_TASK_COMPLETED',
        'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
      ]),
      'WORKFLOW_EXECUTION_STARTED',
      'ACTIVITY_TASK_STARTED',
      'ACTIVITY_TASK_COMPLETED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
    const events = await at.events(id);
    const chain = [...new Set(events.map((event) => event.workflow_run_id))];
    expect(chain).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({ first_execution_run_id: chain[0], continued_run_id: chain[1] });
  },

  'a reset goes on from the end of a turn in a new run': async (at) => {
    const id = await at.begin('three-steps', { start: 1 });
    const first = await at.endOf(id);
    const wrong = await at.send(`/executions/${id}/reset`, { event_id: 1 });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'WF_1001' } });
    const { valid_reset_events } = wrong.body as { valid_reset_events: number[] };
    expect(valid_reset_events).toEqual([4, 10, 16, 22]);
    expect((await at.send(`/executions/${id}/reset`, { event_id: 10 })).status).toBe(204);
    const second = await at.endOf(id);
    expect(second).toMatchObject({ status: 'COMPLETED', result: { sum: 4 } });
    expect(second.run_id).not.toBe(first.run_id);
    expect((await at.send(`/runs/${first.run_id}`)).body).toMatchObject({ status: 'COMPLETED' });
    const steps = (await at.events(id)).filter(({ workflow_run_id }) => workflow_run_id === second.run_id);
    expect(
      steps.map(({ event_type, attributes }) => [event_type, attributes.activity_name ? attributes.task_id : '']),
    ).toEqual([
      ['WORKFLOW_EXECUTION_STARTED', ''],
      ...['2', '3'].flatMap((step) => [
        ['ACTIVITY_TASK_STARTED', step],
        ['ACTIVITY_TASK_COMPLETED', step],
      ]),
      ['WORKFLOW_EXECUTION_COMPLETED', ''],
    ]);
  },

  'a reset of a running execution ends its old run': async (at) => {
    const id = await at.begin('talker');
    const heard = () => at.send(`/executions/${id}/queries`, { name: 'heard', input: {} });
    // The first turn is over, so it is event 4: a signal before it would move it on by one.
    await at.until(async () => (await heard()).status === 200);
    await at.send(`/executions/${id}/signals`, { name: 'say', input: { words: 'kept' } });
    await at.until(async () => (await heard()).text.includes('kept'));
    const first = await at.read(id);
    expect((await at.send(`/executions/${id}/reset`, { event_id: 4, reason: 'again' })).status).toBe(204);
    expect((await at.send(`/runs/${first.run_id}`)).body).toMatchObject({ status: 'TERMINATED' });
    await at.send(`/executions/${id}/signals`, { name: 'stop', input: {} });
    expect((await at.endOf(id)).result).toEqual({ heard: ['kept'], name: 'nobody' });
  },

  'a schedule starts executions': async (at) => {
    const schedule_id = `often-${randomUUID()}`;
    const schedule = { input: { start: 5 }, intervals: [{ every: 'PT1S' }], max_executions: 1 };
    const made = await at.send('/schedules', { workflow_identifier: 'three-steps', schedule_id, schedule });
    expect(made.status, made.text).toBeLessThan(300);
    const found = await at.until(async () => {
      const { body } = await at.send(`/runs?search=${schedule_id}`);
      return (body as { executions: Execution[] }).executions[0];
    });
    expect(await at.endOf(found.execution_id)).toMatchObject({ status: 'COMPLETED', result: { sum: 8 } });
    expect((await at.events(found.execution_id))[0]).toMatchObject({ schedule_id });
    await at.send(`/schedules/${schedule_id}`, undefined, { method: 'DELETE' });
  },

  'an id names one running execution': async (at) => {
    const execution_id = `mine-${randomUUID()}`;
    await at.begin('sleeper', {}, { execution_id });
    expect(await at.send('/three-steps/execute', { input: { start: 1 }, execution_id })).toMatchObject({
      status: 409,
      body: { code: 'WF_1101' },
    });
    await at.send(`/executions/${execution_id}/terminate`, undefined, { method: 'POST' });
    await at.begin('three-steps', { start: 1 }, { execution_id });
    expect(await at.endOf(execution_id)).toMatchObject({ status: 'COMPLETED', result: { sum: 4 } });
  },

  'a repeated request starts once': async (at) => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { input: { start: 1 } };
    const answers = await Promise.all([1, 2, 3].map(() => at.send('/three-steps/execute', body, { headers })));
    expect(new Set(answers.map((answer) => (answer.body as Execution).execution_id)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  },

  'runs are found by their keys and states': async (at) => {
    const who = randomUUID();
    const id = await at.begin('sleeper', { who });
    const list = async (filter: string) =>
      ((await at.send(`/runs?${filter}`)).body as { executions: Execution[] }).executions.map(
        (run) => run.execution_id,
      );
    expect(await list(`search_key=who:${who}`)).toEqual([id]);
    await at.until(async () => (await list(`search_key=who:${who}&search_key=mood:sleepy`)).includes(id));
    expect(await list(`search_key=who:${who}&status=COMPLETED`)).toEqual([]);
    await at.send(`/executions/${id}/terminate`, undefined, { method: 'POST' });
    expect(await list(`search_key=who:${who}&status=TERMINATED`)).toEqual([id]);
  },

  'who waits too long is told so, and the execution goes on': async (at) => {
    const execution_id = `slow-${randomUUID()}`;
    const answer = await at.send('/sleeper/execute', { execution_id, wait_for_result: true, timeout_seconds: 0.2 });
    expect(answer).toMatchObject({ status: 504, body: { code: 'WF_1103' } });
    expect(await at.read(execution_id)).toMatchObject({ status: 'RUNNING' });
    await at.send(`/executions/${execution_id}/terminate`, undefined, { method: 'POST' });
  },

  'a person is asked and answers': async (at) => {
    const id = await at.begin('asks');
    const pending = await at.until(async () => {
      const { body } = await at.send(`/executions/${id}/queries`, { name: '__get_pending_inputs', input: {} });
      return (body as { result?: { pending_inputs: { task_id: string; label: string }[] } }).result?.pending_inputs[0];
    });
    expect(pending.label).toBe('May it?');
    const submit = (input: object) =>
      at.send(`/executions/${id}/updates`, { name: '__submit_input', input: { task_id: pending.task_id, input } });
    expect(await submit({ approved: 'perhaps' })).toMatchObject({ status: 409, body: { code: 'WF_1114' } });
    expect(await submit({ approved: true })).toMatchObject({ status: 200 });
    expect((await at.endOf(id)).result).toEqual({ approved: true });
    expect((await at.types(id)).filter((type) => type.startsWith('CUSTOM'))).toEqual([
      'CUSTOM_TASK_STARTED',
      'CUSTOM_TASK_COMPLETED',
    ]);
  },

  'progress is shown as it is made': async (at) => {
    const id = await at.begin('shows');
    await at.endOf(id);
    const tasks = (await at.events(id)).filter(({ event_type }) => event_type.startsWith('CUSTOM'));
    expect(tasks.map(({ event_type, attributes }) => [attributes.custom_task_type, event_type.slice(12)])).toEqual([
      ['steps', 'STARTED'],
      ['download', 'STARTED'],
      ['download', 'IN_PROGRESS'],
      ['download', 'COMPLETED'],
      ['steps', 'IN_PROGRESS'],
      ['steps', 'COMPLETED'],
    ]);
    const types = await at.types(id);
    expect(types.indexOf('ACTIVITY_TASK_COMPLETED')).toBeGreaterThan(types.indexOf('CUSTOM_TASK_IN_PROGRESS'));
  },

  'local steps run within the turn': async (at) => {
    const id = await at.begin('local');
    expect((await at.endOf(id)).result).toEqual({ sum: 5, error: 'The step "refuse" failed: not here' });
    expect(await at.types(id)).toEqual(['WORKFLOW_EXECUTION_STARTED', 'WORKFLOW_EXECUTION_COMPLETED']);
    expect(await at.history(id)).toContain('MARKER_RECORDED');
  },

  'large values pass through': async (at) => {
    const text = 'é'.repeat(600_000);
    const { characters, text: back } = (await at.result('large', { text })) as { characters: number; text: string };
    expect(characters).toBe(600_000);
    expect(back === text).toBe(true);
  },

  'values that are too large are refused': async (at) => {
    const answer = await at.send('/large/execute', { input: { text: 'x'.repeat(2_200_000) } });
    expect(answer.status).toBe(422);
  },

  'what the code logs is kept with the execution': async (at) => {
    const id = await at.begin('speaks');
    expect((await at.endOf(id)).result).toBe('speaks');
    await at.until(async () => (await at.send(`/executions/${id}/logs`)).text.includes('hello from the workflow'));
  },

  'a scope has a time of its own': async (at) => {
    const file = at.newFile();
    expect(await at.result('in-time', { file })).toEqual({ name: 'TimedOut' });
    expect(readFileSync(file, 'utf8')).toBe('x');
  },

  'another workspace sees nothing of it': async (at) => {
    const id = await at.begin('sleeper');
    const key = await addStranger(at.server);
    const missing = `${id.slice(0, -4)}0000`;
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/history'],
      ['POST', '/cancel'],
      ['POST', '/terminate'],
    ] as const) {
      const [theirs, none] = await Promise.all(
        [id, missing].map((name) => at.send(`/executions/${name}${rest}`, undefined, { method, key })),
      );
      expect(theirs?.status).toBe(404);
      expect(theirs?.text.replaceAll(id, missing)).toBe(none?.text);
    }
    expect(await at.read(id)).toMatchObject({ status: 'RUNNING' });
    await at.send(`/executions/${id}/terminate`, undefined, { method: 'POST' });
  },
};
