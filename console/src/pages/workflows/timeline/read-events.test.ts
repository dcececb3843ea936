import { expect, it } from 'vitest';
import { describeEvent } from './describe-event.ts';
import { attributes as a, eventsOf } from './events-for-tests.ts';
import { filterEvents } from './filter-events.ts';
import { foldProgress } from './fold-progress.ts';
import { readMessages } from './read-messages.ts';
import { readResetPoints, readTimers } from './read-timers.ts';
import { formatDuration, positionOf, ticksOf } from './time-scale.ts';

const event = eventsOf({ execution: 'e', run: 'r' });

it('describes an event with title, subject and note', () => {
  expect(describeEvent(event('ACTIVITY_TASK_RETRYING', a.stepFailed('1', 2, 'no answer')))).toMatchObject({
    title: 'Step retrying',
    subject: 'charge',
    note: 'Attempt 2: no answer',
  });
  expect(describeEvent(event('WORKFLOW_EXECUTION_STARTED', a.started()))).toMatchObject({ subject: 'order', note: '' });
});

it('filters events by topic, errors and words, continuing from an earlier result', () => {
  const events = [
    event('WORKFLOW_EXECUTION_STARTED', a.started()),
    event('ACTIVITY_TASK_STARTED', a.step('1', 'charge card')),
    event('ACTIVITY_TASK_FAILED', a.stepFailed('1', 1, 'refused')),
  ];
  expect(filterEvents(events, { topic: 'step', text: '' }).places).toEqual([1, 2]);
  expect(filterEvents(events, { topic: 'trouble', text: '' }).places).toEqual([2]);
  const found = filterEvents(events, { topic: 'all', text: ' CARD ' });
  expect(found.places).toEqual([1]);
  expect(filterEvents(events, { topic: 'all', text: ' CARD ' }, found)).toBe(found);
  events.push(event('ACTIVITY_TASK_STARTED', a.step('2', 'card again')));
  expect(filterEvents(events, { topic: 'all', text: ' CARD ' }, found).places).toEqual([1, 3]);
  expect(filterEvents(events, { topic: 'all', text: 'refused' }, found).places).toEqual([2]);
});

it('folds the patches of a progress stream into its state', () => {
  const state = foldProgress([
    event('CUSTOM_TASK_STARTED', a.task('t', 'token', { text: 'He', done: [1, 2], 'a/b': 1 })),
    event('CUSTOM_TASK_IN_PROGRESS', a.patch('t', 'token', [{ op: 'append', path: '/text', value: 'llo' }])),
    event(
      'CUSTOM_TASK_IN_PROGRESS',
      a.patch('t', 'token', [
        { op: 'add', path: '/done/-', value: 3 },
        { op: 'remove', path: '/done/0' },
        { op: 'replace', path: '/a~1b', value: 2 },
        { op: 'replace', path: '/nowhere/deep', value: 2 },
      ]),
    ),
  ]);
  expect(state).toEqual({ text: 'Hello', done: [2, 3], 'a/b': 2 });
});

it('reads timers and ends of turns from a history of this engine and of Temporal', () => {
  const at = (second: number) => new Date(second * 1000).toISOString();
  const history = [
    { eventId: '1', eventTime: at(1), eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED' },
    { eventId: '4', eventTime: at(2), eventType: 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED' },
    {
      eventId: '5',
      eventTime: at(2),
      eventType: 'EVENT_TYPE_TIMER_STARTED',
      timerStartedEventAttributes: { timerId: '1', fireAtMs: 7000 },
    },
    {
      eventId: '6',
      eventTime: at(3),
      eventType: 'EVENT_TYPE_TIMER_STARTED',
      timerStartedEventAttributes: { timerId: '2', startToFireTimeout: '60s' },
    },
    {
      eventId: '7',
      eventTime: at(7),
      eventType: 'EVENT_TYPE_TIMER_FIRED',
      timerFiredEventAttributes: { timerId: '1' },
    },
    {
      eventId: '8',
      eventTime: at(8),
      eventType: 'EVENT_TYPE_TIMER_CANCELED',
      timerCanceledEventAttributes: { timerId: '2' },
    },
  ];
  expect(readTimers(history)).toEqual([
    { id: '1', startMs: 2000, dueMs: 7000, end: { atMs: 7000, isCanceled: false } },
    { id: '2', startMs: 3000, dueMs: 63_000, end: { atMs: 8000, isCanceled: true } },
  ]);
  expect(readResetPoints(history)).toEqual([{ eventId: 4, atMs: 2000 }]);
});

it('marks a span at round intervals', () => {
  const labels = (lengthMs: number) => ticksOf({ fromMs: 0, toMs: lengthMs }, 0, 5).map(({ label }) => label);
  expect(labels(900)).toEqual(['0', '200 ms', '400 ms', '600 ms', '800 ms']);
  expect(labels(60_000)).toEqual(['0', '15 s', '30 s', '45 s', '1 min']);
  expect(labels(3 * 3_600_000)).toEqual(['0', '1 h', '2 h', '3 h']);
  expect(labels(0)).toEqual([]);
});

it('formats a duration in its two largest units', () => {
  expect([0, 0.4, 40, 1234, 61_000, 3_600_000, 90_000_000].map(formatDuration)).toEqual([
    '0 ms',
    '< 1 ms',
    '40 ms',
    '1.23 s',
    '1 min 1 s',
    '1 h',
    '1 d 1 h',
  ]);
});

it('places a bar in a span and omits bars outside it', () => {
  const span = { fromMs: 1000, toMs: 2000 };
  expect(positionOf(span, 1250, 1500)).toEqual({ left: 25, width: 25 });
  expect(positionOf(span, 0, 3000)).toEqual({ left: 0, width: 100 });
  expect(positionOf(span, 3000, 4000)).toBeUndefined();
});

it('reads signals and updates from the history, and leaves out our own', () => {
  const at = (eventId: string, more: object) => ({
    eventId,
    eventTime: '2026-01-01T00:00:01Z',
    eventType: '',
    ...more,
  });
  const payloads = [{ data: btoa('{"to":"quay 4"}') }];
  const messages = readMessages([
    at('3', { workflowExecutionSignaledEventAttributes: { signalName: 'move', input: { payloads } } }),
    at('5', { workflowExecutionUpdateAcceptedEventAttributes: { name: 'rename', input: { name: 'Bora' } } }),
    at('7', { workflowExecutionUpdateAcceptedEventAttributes: { name: '__submit_input', input: {} } }),
  ]);
  expect(messages).toEqual([
    { id: '3', kind: 'signal', name: 'move', atMs: 1767225601000, input: { to: 'quay 4' } },
    { id: '5', kind: 'update', name: 'rename', atMs: 1767225601000, input: { name: 'Bora' } },
  ]);
});
