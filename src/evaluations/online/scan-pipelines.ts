import { createHash } from 'node:crypto';
import type { QueueOptions, RunningTask } from '../../kit/tasks/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import type { GetSpan } from '../../traces/index.ts';
import type { EvaluationPorts } from '../ports.ts';
import type { UnitContext } from '../run/ask-system.ts';
import type { Sampling } from '../schema/pipelines.ts';
import { findConfigById, listDue, moveScan, oldestScan } from '../store/pipelines.ts';
import { insertSpanEvaluation, listJudged } from '../store/span-evaluations.ts';
import type { ConfigRow } from '../store/tables.ts';
import { judgeSpan } from './judge-span.ts';

const SCAN_QUEUE = 'evaluation-scans';
const TICK_QUEUE = 'evaluation-ticks';
const TICK_MS = 5000;
/** Looks find what is due; this task remains for what they miss, and for servers of the previous version. */
const TASK_MS = 60 * 60 * 1000;
/** Spans are written within a second of their end. */
const WRITTEN_MS = 3000;
/** A span that takes longer is not judged: it is found by when it began. */
const LONGEST_MS = 10 * 60 * 1000;
/** A server that was off for long begins with this. */
const WINDOW_MS = 60 * 60 * 1000;
const PAGE = 50;
const CONFIGS_AT_ONCE = 1000;
const PERCENT_STEPS = 1_000_000;

type Ports = EvaluationPorts;

type Pipelines = { queues: Record<string, QueueOptions>; start(): Promise<void>; stop(): Promise<void> };

/** Judges a sample of live spans. A tick finds the configurations; each is scanned in its tenant's turn. */
export function createPipelines(ports: Ports): Pipelines {
  const { database, authority, tasks, traces, now, log } = ports;
  const { db } = database;
  let unfollow = () => {};
  let nextTickMs = 0;
  let ticking: Promise<void> | undefined;

  function look(oldestMs: number | undefined): void {
    if (oldestMs === undefined || oldestMs > now() - WRITTEN_MS - TICK_MS || now() < nextTickMs) return;
    nextTickMs = now() + TICK_MS;
    ticking ??= tick()
      .catch((err: unknown) => log.warn({ err }, 'pipelines could not be read; they are tried again'))
      .finally(() => {
        ticking = undefined;
      });
  }

  async function tick(): Promise<void> {
    const due = await listDue(db, now() - WRITTEN_MS - TICK_MS, CONFIGS_AT_ONCE);
    for (const { id, organization_id, holder } of due) {
      const tenant = tenantOf({ organization_id, key_id: holder.key_id ?? holder.user_id });
      await database.transaction((tx) =>
        tasks.enqueue(tx, { queue: SCAN_QUEUE, payload: { config_id: id }, dedupeKey: id, tenant }),
      );
    }
  }

  async function scan(task: RunningTask, signal: AbortSignal): Promise<void> {
    const config = await findConfigById(db, (task.payload as { config_id: string }).config_id);
    if (!config?.enabled) return;
    const toMs = now() - WRITTEN_MS;
    const fromMs = Math.max(config.scanned_to_ms, toMs - WINDOW_MS);
    const refusal = await authority.refusalOf(config.holder, 'evaluations:write');
    // Nobody's authority, no judgement; the place moves on, so that nothing piles up.
    if (!refusal && fromMs < toMs) await judgeWindow(config, fromMs, toMs, signal);
    await database.transaction(async (tx) => {
      await task.complete(tx);
      await moveScan(tx, config.id, toMs);
    });
  }

  async function judgeWindow(config: ConfigRow, fromMs: number, toMs: number, signal: AbortSignal): Promise<void> {
    const scope = async () => authority.scopeOf(config.holder, 'evaluations:write');
    const ended = `end_time >= '${iso(fromMs)}' AND end_time < '${iso(toMs)}' AND NOT request_id LIKE 'eval-%'`;
    for (const { filter } of config.selectors) {
      const search_expression = filter?.trim() ? `(${filter}) AND ${ended}` : ended;
      const range = { from: iso(fromMs - LONGEST_MS), to: iso(toMs) };
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { ...range, page_size: PAGE, cursor };
        const page = await traces.searchSpans({ scope: await scope(), signal }, query, { search_expression });
        await judgePage(config, page.results, scope, signal);
        cursor = page.cursor;
      }
    }
  }

  async function judgePage(config: ConfigRow, spans: GetSpan[], scope: UnitContext['scope'], signal: AbortSignal) {
    const sampled = spans.filter((span) => hasContent(span) && isSampled(config, span));
    const judged = await listJudged(
      db,
      config.id,
      sampled.map(({ span_id }) => span_id),
    );
    for (const span of sampled) {
      signal.throwIfAborted();
      if (judged.has(span.span_id)) continue;
      const context: UnitContext = {
        ports,
        scope,
        spending: { inputTokens: 0, outputTokens: 0, costMicros: 0 },
        signal,
      };
      const finding = await judgeSpan(context, config, span);
      if (!finding) continue;
      const { organization_id, user_id, trace_id, span_id, response_id, conversation_id, span_name, duration_ns } =
        span;
      await database.transaction((tx) =>
        insertSpanEvaluation(tx, {
          workspace_id: config.workspace_id,
          // Judgements of one millisecond are told apart by their configuration.
          start_us: now() * 1000 + (hash(config.id) % 1000),
          ...{ organization_id, user_id, trace_id, span_id, response_id, conversation_id, span_name, duration_ns },
          config_id: config.id,
          config_slug: config.slug,
          evaluation_name: config.name,
          score_value: finding.value,
          score_label: finding.label,
          explanation: finding.explanation,
          details: { metadata: finding.metadata },
        }),
      );
    }
  }

  const queues: Record<string, QueueOptions> = {
    [TICK_QUEUE]: { concurrency: 1, handler: tick },
    [SCAN_QUEUE]: {
      concurrency: 8,
      turns: { perTenantMax: 2, perKeyMax: 2 },
      handler: async (task, { signal }) => {
        try {
          await scan(task, signal);
        } catch (error) {
          if (!signal.aborted) log.warn({ err: error }, 'a pipeline could not be run; it is tried again');
          throw error;
        }
      },
    },
  };

  return {
    queues,
    async start() {
      await tasks.every([{ queue: TICK_QUEUE, name: 'tick', intervalMs: TASK_MS }]);
      unfollow = database.looks.follow(oldestScan, '', () => look);
    },
    async stop() {
      unfollow();
      await ticking;
    },
  };
}

const iso = (ms: number) => new Date(ms).toISOString();
const hasContent = ({ input_messages, output_messages }: GetSpan) => input_messages !== '' || output_messages !== '';
const hash = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

/** The same span is in the sample of a configuration or not, however often it is asked. */
function isSampled({ id, sampling }: { id: string; sampling: Sampling | null }, span: GetSpan): boolean {
  if (!sampling) return true;
  const own = span as unknown as Record<string, unknown>;
  const key =
    sampling.type === 'attribute_hash'
      ? String(own[sampling.attribute] ?? span.span_attributes[sampling.attribute] ?? '')
      : `${id}${span.span_id}`;
  return hash(key) % PERCENT_STEPS < (sampling.percentage / 100) * PERCENT_STEPS;
}
