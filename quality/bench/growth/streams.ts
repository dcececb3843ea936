import type { Kind } from '../../campaigns/tenants/id-fields.ts';
import { type Copied, type Family, seedOf } from './family.ts';

const WORKFLOW = 'workflow:{workspace}:';
const CONVERSATION = 'conversation:';

/** One stream with many events. They are read from a view, because most are stored several to a row. */
function events(kind: Kind, before: string): Pick<Family, 'tables' | 'followUp'> {
  const of: Copied['of'] = ['stream', kind, before];
  return {
    tables: { whole_events: { of, source: 'events', fresh: ['seq'] } },
    followUp: (ids) => `update event_streams set head = (select max(seq) from whole_events
      where whole_events.stream = event_streams.stream) where stream = '${seedOf(of, ids)}'`,
  };
}

/** Streams of events: their beginning, a place in the middle, and one near the end. */
export const streams: Record<string, Family> = {
  'events of an execution': {
    ...events('execution', WORKFLOW),
    reads: [
      'STREAM /v1/workflows/events/stream?root_workflow_exec_id={execution}',
      'STREAM /v1/workflows/events/stream?workflow_exec_id={execution}&start_seq={half}',
      'STREAM /v1/workflows/executions/{execution}/stream',
      'STREAM /v1/workflows/executions/{execution}/stream?last_event_id={last}',
      '/v1/workflows/events/list?root_workflow_exec_id={execution}',
      '/v1/workflows/events/list?limit=100',
    ],
  },
  'events of many executions': {
    tables: {
      workflow_runs: { of: ['run_id', 'run'], fresh: ['run_id', 'execution_id', 'root_execution_id'] },
      whole_events: { of: ['stream', 'execution', WORKFLOW], source: 'events', fresh: ['stream'] } satisfies Copied,
    },
    reads: [
      'STREAM /v1/workflows/events/stream?root_workflow_exec_id={execution}',
      '/v1/workflows/events/list?limit=100',
      '/v1/workflows/events/list?limit=100&cursor={next:next_cursor}',
    ],
  },
  'children of an execution': {
    tables: { workflow_runs: { of: ['run_id', 'run'], fresh: ['run_id', 'execution_id'] } },
    reads: [
      'STREAM /v1/workflows/events/stream?root_workflow_exec_id={execution}',
      'STREAM /v1/workflows/executions/{execution}/stream',
    ],
    growing: { '/v1/workflows/events/list?limit=100': 'passes by all children on its way to the next root, in turns' },
  },
  'events of a conversation': {
    ...events('conversation', CONVERSATION),
    reads: ['STREAM /v1/conversations/{conversation}/events'],
  },
  'runs of a conversation': {
    tables: { conversation_runs: { of: ['conversation_id', 'conversation'], fresh: ['id', 'created_ms'] } },
    // A stored response is a column of its run.
    reads: [
      'STREAM /v1/conversations/{conversation}/events',
      'STREAM /openai/v1/responses/{response}?stream=true',
      '/openai/v1/responses/{response}/input_items',
    ],
  },
};
