import { randomUUID } from 'node:crypto';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, expect, it } from 'vitest';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { toTraceId } from '../metering/index.ts';
import { startWorker, startWorkflows, WITHIN, type Workflows } from './workflows-for-tests.ts';

type Span = {
  span_id: string;
  name: string;
  start_time_unix_nano: number;
  end_time_unix_nano: number | null;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: object }[];
  children: Span[];
};
type Otel = { spanId: string; parentSpanId: string | null; name: string; attributes: { key: string; value: object }[] };
type Event = { type: string; id: string; name: string; status?: string; timestamp_unix_nano: number; error?: string };

const retry = (max_attempts: number) => ({
  max_attempts,
  initial_interval_ms: 1,
  backoff: 1,
  max_interval_ms: 1,
  non_retryable_types: [],
});

onSqliteFirst('the trace of an execution', (database) => {
  let workflows: Workflows;
  let id: string;

  beforeAll(async () => {
    workflows = await startWorkflows(database);
    let tries = 0;
    await startWorker(
      workflows.server,
      {
        workflows: {
          order: async (ctx) => {
            await ctx.step('pay', [], { retry: retry(2) });
            await ctx.sleep(20);
            ctx.emit({ event_type: 'CUSTOM_TASK_STARTED', custom_task_id: 't1', custom_task_type: 'packing' });
            await ctx.child('ship', {});
            ctx.emit({ event_type: 'CUSTOM_TASK_COMPLETED', custom_task_id: 't1', custom_task_type: 'packing' });
            return ctx.signal('received');
          },
          ship: async (ctx) => ctx.step('load'),
          break: async (ctx) => ctx.step('drop', [], { retry: retry(1) }),
        },
        steps: {
          pay: () => {
            if (tries++ === 0) throw new Error('declined');
            return 'paid';
          },
          load: () => 'loaded',
          drop: () => {
            throw new Error('broken glass');
          },
        },
      },
      { order: { signals: [{ name: 'received', input_schema: { type: 'object' } }] } },
    );
    id = randomUUID();
    const custom_tracing_attributes = { customer: 'c-17' };
    await workflows.send('POST', '/order/execute', { execution_id: id, custom_tracing_attributes });
  });

  const read = async (part: string, of = id) =>
    (await workflows.send('GET', `/executions/${of}/trace/${part}`)).body as Record<string, never>;
  const tree = async (of = id) => (await read('summary', of)).span_tree as unknown as Span;
  const otel = async () => {
    const { otel_trace_data: data } = await read('otel');
    const { batches } = data as unknown as { batches: { scopeSpans: { spans: Otel[] }[] }[] };
    return batches[0]?.scopeSpans[0]?.spans ?? [];
  };
  const events = async (query = '') => (await read(`events${query}`)).events as unknown as Event[];
  const names = ({ children }: Span) => children.map(({ name }) => name);

  it('is read while it runs: what has ended has its end, what has not is open', async () => {
    await expect.poll(async () => names(await tree()), WITHIN).toContain('ExecuteWorkflow:ship');
    await expect
      .poll(async () => (await tree()).children.at(-1)?.end_time_unix_nano, WITHIN)
      .toEqual(expect.any(Number));
    const root = await tree();
    expect(root).toMatchObject({
      name: 'ExecuteWorkflow:order',
      end_time_unix_nano: null,
      attributes: { customer: 'c-17', 'wf.workflow.execution_id': id, 'otel.status_code': 'UNSET' },
    });
    expect(root.children).toMatchObject([
      {
        name: 'ExecuteActivity:pay',
        attributes: { 'wf.activity.attempt': 2, 'otel.status_code': 'OK' },
        events: [{ name: 'retrying', attributes: { attempt: 1, 'error.message': 'Error: declined' } }],
      },
      { name: expect.stringMatching(/^Timer:/), attributes: { 'wf.type': 'timer', 'otel.status_code': 'OK' } },
      { name: 'Task:packing', attributes: { 'task.id': 't1' } },
      { name: 'ExecuteWorkflow:ship', children: [{ name: 'ExecuteActivity:load' }] },
    ]);
    const timer = root.children[1] as Span;
    expect((timer.end_time_unix_nano ?? 0) - timer.start_time_unix_nano).toBeGreaterThanOrEqual(19_000);
  });

  it('is whole afterwards, in all three forms, with the ids that its logs have', async () => {
    await workflows.send('POST', `/executions/${id}/signals`, { name: 'received', input: {} });
    await expect.poll(async () => (await tree()).end_time_unix_nano, WITHIN).toEqual(expect.any(Number));
    const root = await tree();
    expect(root.events.map(({ name }) => name)).toContain('signal');
    const spans = await otel();
    const known = new Set(spans.map(({ spanId }) => spanId));
    expect(spans[0]).toMatchObject({ spanId: root.span_id, parentSpanId: null });
    expect(spans.slice(1).every(({ parentSpanId }) => known.has(parentSpanId ?? ''))).toBe(true);
    expect(spans.map(({ name }) => name)).toContain('WorkflowTask');
    expect(spans[0]?.attributes).toContainEqual({ key: 'customer', value: { stringValue: 'c-17' } });
    expect(await read('info')).toEqual({ otel_trace_id: (await read('otel')).otel_trace_id, has_trace_data: true });

    const told = await events();
    expect(told.map(({ timestamp_unix_nano: at }) => at)).toEqual(
      told.map(({ timestamp_unix_nano: at }) => at).sort((a, b) => a - b),
    );
    const pay = told.filter(({ name }) => name === 'ExecuteActivity:pay');
    expect(pay.map(({ status }) => status)).toEqual(['RUNNING', 'COMPLETED']);
    const merged = await events('?merge_same_id_events=true');
    expect(new Set(merged.map((event) => event.id)).size).toBe(merged.length);
    expect(merged.every(({ status }) => status === 'COMPLETED')).toBe(true);
    expect(merged.map(({ name }) => name)).not.toContain('WorkflowTask');
    const all = await events('?merge_same_id_events=true&include_internal_events=true');
    expect(all.map(({ name }) => name)).toContain('WorkflowTask');
  });

  it('says what failed', async () => {
    const failed = randomUUID();
    await workflows.send('POST', '/break/execute', { execution_id: failed });
    await expect.poll(async () => (await read('events', failed)).status, WITHIN).toBe('FAILED');
    expect(await tree(failed)).toMatchObject({
      attributes: { 'otel.status_code': 'ERROR', 'error.message': 'Error: broken glass' },
      children: [{ attributes: { 'otel.status_code': 'ERROR', 'error.message': 'Error: broken glass' } }],
    });
  });

  it('is read by the official TypeScript SDK', async () => {
    const { executions } = new Mistral({ serverURL: workflows.server.url, apiKey: workflows.server.key }).workflows;
    const { spanTree } = await executions.getWorkflowExecutionTraceSummary({ executionId: id });
    expect(spanTree?.children).toHaveLength(4);
    const { otelTraceData } = await executions.getWorkflowExecutionTraceOtel({ executionId: id });
    expect(otelTraceData?.batches?.[0]?.scopeSpans?.[0]?.spans?.length).toBeGreaterThan(5);
    const { events: shown } = await executions.getWorkflowExecutionTraceEvents({ executionId: id });
    expect(shown?.length).toBeGreaterThan(8);
  });

  it('is among the traces of the workspace once it has ended, with its steps and children', async () => {
    const failed = randomUUID();
    await workflows.send('POST', '/break/execute', { execution_id: failed });
    const done = randomUUID();
    await workflows.send('POST', '/ship/execute', { execution_id: done });
    const { db } = workflows.server.platform.database;
    const spansOf = (executionId: string) =>
      db
        .selectFrom('spans')
        .selectAll()
        .where('trace_id', '=', toTraceId(executionId))
        .orderBy('is_root', 'desc')
        .execute();
    await expect.poll(async () => (await spansOf(failed)).length, WITHIN).toBe(2);
    await expect.poll(async () => (await spansOf(done)).length, WITHIN).toBe(2);
    const [run, step] = await spansOf(failed);
    expect(run).toMatchObject({ span_name: 'invoke_workflow break', status_code: 'Error', workflow_name: 'break' });
    expect(step).toMatchObject({ span_name: 'execute_step drop', status_code: 'Error', parent_span_id: run?.span_id });
    expect(JSON.stringify(await spansOf(failed))).not.toContain('broken glass');
    expect(await spansOf(done)).toMatchObject([
      { span_name: 'invoke_workflow ship', status_code: 'Unset' },
      { span_name: 'execute_step load', status_code: 'Unset' },
    ]);
  });
});
