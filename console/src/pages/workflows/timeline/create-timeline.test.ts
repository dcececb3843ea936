import { describe, expect, it } from 'vitest';
import { createTimeline, type Timeline } from './create-timeline.ts';
import { attributes as a, eventsOf } from './events-for-tests.ts';

const shown = (timeline: Timeline) =>
  timeline.rows().map(({ label, state, depth, startMs, endMs }) => ({ label, state, depth, startMs, endMs }));
const labels = (timeline: Timeline) => timeline.rows().map(({ label, depth }) => `${'  '.repeat(depth)}${label}`);

describe('rows of a timeline', () => {
  it('shows a run and its steps as bars with start and end', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('1')));
    timeline.add(event('ACTIVITY_TASK_COMPLETED', a.stepDone('1')));
    expect(shown(timeline)).toEqual([
      { label: 'order', state: 'running', depth: 0, startMs: 1000, endMs: undefined },
      { label: 'charge', state: 'completed', depth: 1, startMs: 2000, endMs: 3000 },
    ]);
    timeline.add(event('WORKFLOW_EXECUTION_COMPLETED', a.completed()));
    expect(timeline.rows()[0]).toMatchObject({ state: 'completed', endMs: 4000 });
    expect(timeline.bounds()).toEqual({ fromMs: 1000, toMs: 4000 });
  });

  it('marks each failed attempt of a retried step', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('1')));
    timeline.add(event('ACTIVITY_TASK_RETRYING', a.stepFailed('1', 1, 'no answer')));
    expect(timeline.rows()[1]).toMatchObject({ state: 'retrying', endMs: undefined });
    timeline.add(event('ACTIVITY_TASK_FAILED', a.stepFailed('1', 2, 'refused')));
    expect(timeline.rows()[1]).toMatchObject({
      state: 'failed',
      endMs: 4000,
      message: 'refused',
      failures: [
        { attempt: 1, atMs: 3000, message: 'no answer' },
        { attempt: 2, atMs: 4000, message: 'refused' },
      ],
    });
  });

  it('puts the steps of a child under the child, whatever the order of events', () => {
    const timeline = createTimeline('e');
    const own = eventsOf({ execution: 'e', run: 'r' });
    const child = eventsOf({ execution: 'c', run: 'cr', parent: 'e', workflow: 'ship' });
    timeline.add(own('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(child('WORKFLOW_EXECUTION_STARTED', { ...a.started(), workflow_name: 'ship' }));
    timeline.add(own('ACTIVITY_TASK_STARTED', a.step('1', 'own step')));
    timeline.rows();
    timeline.add(child('ACTIVITY_TASK_STARTED', a.step('1', "child's step")));
    timeline.add(own('ACTIVITY_TASK_STARTED', a.step('2', 'next own step')));
    expect(labels(timeline)).toEqual(['order', '  ship', "    child's step", '  own step', '  next own step']);
  });

  it('ignores executions outside the tree', () => {
    const timeline = createTimeline('c');
    timeline.add(eventsOf({ execution: 'e', run: 'r' })('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(
      eventsOf({ execution: 'c', run: 'cr', parent: 'e', workflow: 'ship' })('WORKFLOW_EXECUTION_STARTED', a.started()),
    );
    timeline.add(
      eventsOf({ execution: 'g', run: 'gr', parent: 'c', workflow: 'pack' })('WORKFLOW_EXECUTION_STARTED', a.started()),
    );
    expect(labels(timeline)).toEqual(['ship', '  pack']);
    expect(timeline.events).toHaveLength(2);
  });

  it('cancels open items when their run ends', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('1')));
    timeline.add(event('CUSTOM_TASK_STARTED', a.task('t', 'wait_for_input', { input_schema: {}, label: 'Go?' })));
    expect(timeline.pendingInputs().map(({ label }) => label)).toEqual(['Go?']);
    timeline.add(event('WORKFLOW_EXECUTION_CANCELED', { task_id: 'r', reason: 'Terminated', attempt: 1 }));
    expect(timeline.rows().map(({ state }) => state)).toEqual(['canceled', 'canceled', 'canceled']);
    expect(timeline.pendingInputs()).toEqual([]);
  });

  it('lists pending input requests until they are answered', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('CUSTOM_TASK_STARTED', a.task('t1', 'wait_for_input', { input_schema: {}, label: 'One?' })));
    timeline.add(event('CUSTOM_TASK_STARTED', a.task('t2', 'wait_for_input', { input_schema: {} })));
    timeline.add(event('CUSTOM_TASK_COMPLETED', a.task('t1', 'wait_for_input', { ok: true })));
    expect(timeline.pendingInputs().map(({ label, kind }) => [label, kind])).toEqual([['Input request', 'input']]);
  });

  it('shows timers among the steps by start time and updates them', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('1', 'first'), 2000));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('2', 'second'), 9000));
    timeline.addTimers('r', [{ id: '5', startMs: 4000, dueMs: 8000, end: undefined }]);
    expect(labels(timeline)).toEqual(['order', '  first', '  Wait', '  second']);
    timeline.addTimers('r', [{ id: '5', startMs: 4000, dueMs: 8000, end: { atMs: 8000, isCanceled: false } }]);
    expect(timeline.rows()[2]).toMatchObject({ state: 'completed', endMs: 8000, dueMs: 8000 });
    expect(timeline.rows()).toHaveLength(4);
  });

  it('shows each run of an execution that was reset or continued as new', () => {
    const timeline = createTimeline('e');
    const first = eventsOf({ execution: 'e', run: 'r1' });
    timeline.add(first('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(first('WORKFLOW_EXECUTION_CONTINUED_AS_NEW', { task_id: 'r1', new_execution_run_id: 'r2' }));
    timeline.add(eventsOf({ execution: 'e', run: 'r2' })('WORKFLOW_EXECUTION_STARTED', a.started()));
    expect(timeline.rows().map(({ state, depth }) => [state, depth])).toEqual([
      ['continued', 0],
      ['running', 0],
    ]);
    expect(timeline.latestRunId()).toBe('r2');
  });

  it('hides the items of a collapsed run, also later ones', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('1', 'first')));
    timeline.toggle('r');
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('2', 'second')));
    expect(labels(timeline)).toEqual(['order']);
    timeline.toggle('r');
    expect(labels(timeline)).toEqual(['order', '  first', '  second']);
  });

  it('extends the same list of rows while rows are appended', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('WORKFLOW_EXECUTION_STARTED', a.started()));
    const rows = timeline.rows();
    for (let id = 0; id < 5000; id++) {
      timeline.add(event('ACTIVITY_TASK_STARTED', a.step(String(id))));
      timeline.add(event('ACTIVITY_TASK_COMPLETED', a.stepDone(String(id))));
    }
    expect(timeline.rows()).toBe(rows);
    expect(rows).toHaveLength(5001);
    expect(timeline.events).toHaveLength(10_001);
  });

  it('shows signals once, where they arrived, and lists them among the events', () => {
    const timeline = createTimeline('e');
    const event = eventsOf({ execution: 'e', run: 'r' });
    timeline.add(event('WORKFLOW_EXECUTION_STARTED', a.started()));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('1')));
    timeline.add(event('ACTIVITY_TASK_STARTED', a.step('2', 'later'), 9000));
    const signal = { id: '4', kind: 'signal' as const, name: 'move', atMs: 5000, input: { to: 'quay' } };
    timeline.addMessages('r', [signal]);
    timeline.addMessages('r', [signal]);
    expect(labels(timeline)).toEqual(['order', '  charge', '  move', '  later']);
    expect(timeline.rows()[2]).toMatchObject({ kind: 'signal', state: 'completed', startMs: 5000, endMs: 5000 });
    expect(timeline.hasMessages).toBe(true);
    expect(timeline.events.at(-1)).toMatchObject({
      event_type: 'WORKFLOW_EXECUTION_SIGNALED',
      event_timestamp: 5000000,
    });
  });
});
