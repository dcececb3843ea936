import { ownTurn } from '../../kit/base/own-turn.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Events, StoredEvent } from '../../kit/events/index.ts';
import type { PageTokens, RequestContext, Scope } from '../../kit/http/index.ts';
import type { WorkflowEngine } from '../engines/port/engine.ts';
import { streamOf } from '../engines/port/project-events.ts';
import { parseCursor, workflowErrors } from '../errors.ts';
import { type EventFilter, filterOf } from '../events/filter-events.ts';
import { resumeAfter } from '../events/resume-after.ts';
import { frameOf, unpackEvent } from '../events/show-event.ts';
import type { Payloads } from '../payloads/port.ts';
import type {
  EventListQuery,
  EventStreamQuery,
  ExecutionStreamQuery,
  ListWorkflowEventResponse,
  WorkflowEvent,
} from '../schema/events.ts';
import { hasOpenRun, isRoot, listRoots, type RootPosition } from '../store/runs.ts';

/** An event has up to 256 KiB in its row. */
const PAGE = 64;
/** A page of the list ends here; a payload that is kept apart has up to 2 MiB. */
const LIST_CHARACTERS_MAX = 8 * 1024 * 1024;
const ROOTS_PER_PAGE = 50;

/** Events after which an execution may have ended. */
const ENDINGS: ReadonlySet<string> = new Set([
  'WORKFLOW_EXECUTION_COMPLETED',
  'WORKFLOW_EXECUTION_FAILED',
  'WORKFLOW_EXECUTION_CANCELED',
]);

export type StreamCall = Pick<RequestContext, 'scope' | 'signal' | 'lastEventId'>;

export type EventService = {
  list(scope: Scope, query: EventListQuery): Promise<ListWorkflowEventResponse>;
  /** Yields encoded frames. All checks happen before the first one. */
  stream(call: StreamCall, query: EventStreamQuery): Promise<AsyncGenerator<string>>;
  streamExecution(call: StreamCall, executionId: string, query: ExecutionStreamQuery): Promise<AsyncGenerator<string>>;
};

/** The position of a reader of the whole workspace: a root execution and a sequence number of its stream. */
type Place = { root: (RootPosition & { execution_id: string }) | undefined; seq: number };

/** A tree of executions, or one execution of it. */
type Followed = { rootExecutionId: string; executionId?: string | undefined };

export function createEventService(deps: {
  database: Database;
  engine: WorkflowEngine;
  events: Events;
  payloads: Payloads;
  tokens: PageTokens;
}): EventService {
  const { database, engine, events, payloads, tokens } = deps;
  const { db } = database;

  const streamName = (scope: Scope, rootExecutionId: string) =>
    streamOf({ workspace_id: scope.workspace_id, root_execution_id: rootExecutionId });

  async function* stored(stream: string, after: number, upTo: number): AsyncGenerator<StoredEvent> {
    for (let last = after; last < upTo; ) {
      const page = await events.list(db, stream, { after: last, limit: PAGE });
      for (const event of page) if (event.seq <= upTo) yield event;
      if (page.length < PAGE) return;
      last = page.at(-1)?.seq ?? upTo;
    }
  }

  /**
   * History, then live events, until no more can come. This is checked at events that end an execution: what ends
   * together is committed together, so the head of the stream is then its end.
   */
  async function* follow(call: StreamCall, followed: Followed, after: number): AsyncGenerator<StoredEvent> {
    const stream = streamName(call.scope, followed.rootExecutionId);
    const isOver = async () => !(await hasOpenRun(db, call.scope.workspace_id, followed));
    if (await isOver()) {
      yield* stored(stream, after, await events.head(db, stream));
      return;
    }
    let end = Number.POSITIVE_INFINITY;
    for await (const event of events.tail(stream, { after, signal: call.signal })) {
      yield event;
      if (ENDINGS.has(event.type) && end === Number.POSITIVE_INFINITY && (await isOver()))
        end = await events.head(db, stream);
      if (event.seq >= end) return;
    }
  }

  async function* framed(
    scope: Scope,
    source: AsyncIterable<StoredEvent>,
    filter: EventFilter,
  ): AsyncGenerator<string> {
    for await (const event of source)
      if (filter(event.data as WorkflowEvent)) yield await frameOf(payloads, scope.workspace_id, event);
  }

  async function rootOf(scope: Scope, executionId: string): Promise<string> {
    const execution = await engine.get(scope.workspace_id, executionId);
    if (!execution) throw workflowErrors.execution_not_found(executionId);
    return execution.rootExecutionId;
  }

  async function rootsOf(scope: Scope, query: EventStreamQuery): Promise<Set<string>> {
    const roots = new Set<string>();
    const { root_workflow_exec_id: root, workflow_exec_id: own, parent_workflow_exec_id: parent } = query;
    if (root !== '*') {
      if (!(await isRoot(db, scope.workspace_id, root))) throw workflowErrors.execution_not_found(root);
      roots.add(root);
    }
    for (const id of [own, parent]) if (id !== '*') roots.add(await rootOf(scope, id));
    return roots;
  }

  /** The stream and filter for a query; undefined when nothing can match. */
  async function chosenOf(scope: Scope, query: EventListQuery) {
    const { root_workflow_exec_id: root, workflow_exec_id: own, workflow_run_id: run } = query;
    const roots = new Set(root === undefined ? [] : [root]);
    const execution = own === undefined ? undefined : await engine.get(scope.workspace_id, own);
    const ofRun = run === undefined ? undefined : await engine.getByRun(scope.workspace_id, run);
    if ((own !== undefined && !execution) || (run !== undefined && !ofRun)) return undefined;
    for (const found of [execution, ofRun]) if (found) roots.add(found.rootExecutionId);
    const [rootExecutionId, ...others] = roots;
    if (rootExecutionId === undefined || others.length > 0) return undefined;
    const filter: EventFilter = (event) =>
      (own === undefined || event.workflow_exec_id === own) && (run === undefined || event.workflow_run_id === run);
    return { stream: streamName(scope, rootExecutionId), filter };
  }

  async function* everything(scope: Scope, from: Place): AsyncGenerator<{ event: StoredEvent; place: Place }> {
    const show = async function* (root: NonNullable<Place['root']>, after: number) {
      const stream = streamName(scope, root.execution_id);
      for await (const event of stored(stream, after, Number.MAX_SAFE_INTEGER))
        yield { event, place: { root, seq: event.seq } };
    };
    if (from.root) yield* show(from.root, from.seq);
    let after: RootPosition | undefined = from.root;
    for (;;) {
      const { roots, next } = await listRoots(db, scope.workspace_id, after, ROOTS_PER_PAGE);
      for (const root of roots) yield* show(root, 0);
      if (!next) return;
      after = next;
      if (roots.length === 0) await ownTurn();
    }
  }

  async function* ofOneStream(stream: string, filter: EventFilter, from: Place) {
    for await (const event of stored(stream, from.seq, Number.MAX_SAFE_INTEGER))
      if (filter(event.data as WorkflowEvent)) yield { event, place: { root: undefined, seq: event.seq } };
  }

  return {
    async list(scope, query) {
      const { cursor, limit, ...choice } = query;
      const question = ['workflow-events', scope.workspace_id, JSON.stringify(choice)];
      const from = (parseCursor(tokens, question, cursor) ?? { root: undefined, seq: 0 }) as Place;
      const isChosen = Object.values(choice).some((id) => id !== undefined);
      const chosen = isChosen ? await chosenOf(scope, query) : undefined;
      if (isChosen && !chosen) return { events: [], next_cursor: null };
      const source = chosen ? ofOneStream(chosen.stream, chosen.filter, from) : everything(scope, from);
      const shown: WorkflowEvent[] = [];
      let place: Place | undefined;
      let characters = 0;
      for await (const found of source) {
        if ((shown.length === limit || characters >= LIST_CHARACTERS_MAX) && place)
          return { events: shown, next_cursor: tokens.write(question, place) };
        const event = await unpackEvent(payloads, scope.workspace_id, found.event.data as WorkflowEvent);
        shown.push(event);
        characters += JSON.stringify(event.attributes).length;
        place = found.place;
      }
      return { events: shown, next_cursor: null };
    },

    async stream(call, query) {
      const { start_seq, ...choice } = query;
      const ids = [query.root_workflow_exec_id, query.parent_workflow_exec_id, query.workflow_exec_id];
      if (ids.every((id) => id === '*'))
        throw workflowErrors.execution_filter_required(
          ['query'],
          'Send at least one of root_workflow_exec_id, parent_workflow_exec_id and workflow_exec_id.',
          null,
        );
      const after = call.lastEventId === undefined ? Math.max(0, start_seq - 1) : resumeAfter(call.lastEventId);
      const [rootExecutionId, ...others] = await rootsOf(call.scope, query);
      if (rootExecutionId === undefined || others.length > 0) return nothing();
      const executionId = query.workflow_exec_id === '*' ? undefined : query.workflow_exec_id;
      return framed(call.scope, follow(call, { rootExecutionId, executionId }, after), filterOf(choice));
    },

    async streamExecution(call, executionId, { event_source = 'HYBRID', last_event_id }) {
      const rootExecutionId = await rootOf(call.scope, executionId);
      const stream = streamName(call.scope, rootExecutionId);
      const given = call.lastEventId ?? last_event_id;
      const after = given === undefined ? 0 : resumeAfter(given);
      const own: EventFilter = (event) => event.workflow_exec_id === executionId;
      const head = event_source === 'HYBRID' ? 0 : await events.head(db, stream);
      const source =
        event_source === 'DATABASE'
          ? stored(stream, after, head)
          : follow(call, { rootExecutionId, executionId }, Math.max(after, head));
      return framed(call.scope, source, own);
    },
  };
}

/** Contradictory filters never match. */
async function* nothing(): AsyncGenerator<string> {}
