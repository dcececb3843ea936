import { type Cancelled, InvalidPayload, isError, TimedOut, toFailure } from '../errors.ts';
import type { CustomTaskEvent, Json } from '../protocol.ts';
import { readerOf, type Schema, toJsonSchema } from '../schema.ts';
import { toJson } from '../to-json.ts';
import type { ActiveRun } from './active-run.ts';
import type { Handlers } from './handlers.ts';

type Pending = { task_id: string; input_schema: Json; label?: string; submit(input: Json): void };

const TASK_TYPE = 'wait_for_input';
const STATE_KEY = 'internal.execution.state';

export type Inputs = ReturnType<typeof createInputs>;

/**
 * Questions to people. Clients find them by the event of a `wait_for_input` task or the query `__get_pending_inputs`,
 * and answer with the update `__submit_input`.
 */
export function createInputs(execution: ActiveRun & { handlers: Handlers }) {
  const pending = new Map<string, Pending>();
  const { handlers } = execution;

  handlers.onQuery('__get_pending_inputs', () => ({
    pending_inputs: [...pending.values()].map(({ submit: _submit, ...shown }) => shown),
  }));
  handlers.onUpdate('__submit_input', (({ task_id, input }: { task_id?: string; input?: Json }) => {
    const asked = pending.get(task_id ?? '');
    if (!asked) throw new InvalidPayload(`Nothing waits for an input under the task id "${task_id}".`);
    asked.submit(input ?? null);
    return {};
  }) as (input: never) => unknown);

  function emit(type: CustomTaskEvent['event_type'], taskId: string, rest: Partial<CustomTaskEvent> = {}): void {
    execution.emit({ event_type: `${type}`, custom_task_id: taskId, custom_task_type: TASK_TYPE, ...rest });
  }

  function markState(): void {
    const state = pending.size > 0 ? 'waiting_for_input' : null;
    execution.push({ type: 'upsert_search_keys', keys: { [STATE_KEY]: state } });
  }

  return {
    list: () => [...pending.keys()],

    async ask(
      schema: Schema,
      label: string | undefined,
      startTimer?: () => { promise: Promise<unknown>; drop(): void },
    ): Promise<unknown> {
      const taskId = execution.ownRandom.uuid();
      const inputSchema = toJsonSchema(schema);
      const read = readerOf(schema);
      const words = label === undefined ? {} : { label };
      const answer = execution.wait(
        (settle) =>
          pending.set(taskId, {
            task_id: taskId,
            input_schema: inputSchema,
            ...words,
            submit(input) {
              settle({ value: toJson(read(input, 'The input')) });
              pending.delete(taskId);
            },
          }),
        () => pending.delete(taskId),
      );
      emit('CUSTOM_TASK_STARTED', taskId, {
        payload: { type: 'json', value: { input_schema: inputSchema, ...words } },
      });
      if (pending.size === 1) markState();
      const timer = startTimer?.();
      try {
        const late = timer?.promise.then(() => {
          throw new TimedOut('Nobody answered in time.');
        });
        const given = await (late ? Promise.race([answer, late]) : answer);
        timer?.drop();
        emit('CUSTOM_TASK_COMPLETED', taskId, { payload: { type: 'json', value: toJson(given) } });
        return given;
      } catch (error) {
        if (isError(error, 'Cancelled')) emit('CUSTOM_TASK_CANCELED', taskId, { reason: (error as Cancelled).message });
        else if (isError(error, 'TimedOut')) emit('CUSTOM_TASK_TIMED_OUT', taskId, { timeout_type: 'INPUT' });
        else emit('CUSTOM_TASK_FAILED', taskId, { failure: toFailure(error) });
        throw error;
      } finally {
        pending.delete(taskId);
        if (pending.size === 0) markState();
      }
    },
  };
}
