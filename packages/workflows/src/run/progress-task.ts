import type { ProgressTask, Widen } from '../definitions.ts';
import { toFailure } from '../errors.ts';
import type { CustomTaskEvent, Json } from '../protocol.ts';
import { toJson } from '../to-json.ts';
import { diffJson } from './json-patch.ts';

export function startProgressTask<State extends Json>(
  { id, type, emit }: { id: string; type: string; emit(event: CustomTaskEvent): void },
  initial: State,
): ProgressTask<Widen<State>> {
  // The published state is a copy, so in-place changes are detected.
  let published = toJson(initial);
  let state = toJson(published);
  let hasEnded = false;
  const emitState = (event_type: CustomTaskEvent['event_type'], rest: Partial<CustomTaskEvent> = {}) => {
    if (!hasEnded) emit({ event_type, custom_task_id: id, custom_task_type: type, ...rest });
  };
  emitState('CUSTOM_TASK_STARTED', { payload: { type: 'json', value: published } });

  const task: ProgressTask = {
    id,
    get state() {
      return state;
    },
    update(next) {
      const wanted = toJson(typeof next === 'function' ? next(state) : next);
      const ops = diffJson(published, wanted);
      published = wanted;
      state = toJson(wanted);
      if (ops.length > 0) emitState('CUSTOM_TASK_IN_PROGRESS', { payload: { type: 'json_patch', value: ops } });
    },
    complete(last) {
      state = toJson(last ?? state);
      emitState('CUSTOM_TASK_COMPLETED', { payload: { type: 'json', value: toJson(state) } });
      hasEnded = true;
    },
    fail(error) {
      emitState('CUSTOM_TASK_FAILED', { failure: toFailure(error) });
      hasEnded = true;
    },
    cancel(reason) {
      emitState('CUSTOM_TASK_CANCELED', reason === undefined ? {} : { reason });
      hasEnded = true;
    },
  };
  return task as unknown as ProgressTask<Widen<State>>;
}
