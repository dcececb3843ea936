import { signalSchema } from '../define-workflow.ts';
import type { CallShape } from '../definitions.ts';
import { InvalidPayload, toFailure } from '../errors.ts';
import type { Json } from '../protocol.ts';
import { readerOf } from '../schema.ts';
import { toJson } from '../to-json.ts';
import type { ActiveRun } from './active-run.ts';
import type { Outcome } from './open-commands.ts';

type Handler = (input: never) => unknown;
type Update = { id: string; name: string; input: Json };

export type Handlers = ReturnType<typeof createHandlers>;

/** Signals, updates and queries of a run, and their handlers. */
export function createHandlers(execution: ActiveRun) {
  const { settings } = execution.workflow;
  const onSignal = new Map<string, Handler>();
  const onUpdate = new Map<string, Handler>();
  const onQuery = new Map<string, Handler>();
  const unread = new Map<string, Json[]>();
  const receivers = new Map<string, Set<(outcome: Outcome) => void>>();
  const waitingUpdates: Update[] = [];

  function readSignal(name: string, input: Json): unknown {
    return readerOf(signalSchema(settings.signals?.[name]))(input, `The signal "${name}"`);
  }

  /** A handler may wait and runs concurrently with the workflow's code; a throw ends the run. */
  function callHandler(handler: Handler, input: unknown): void {
    execution.inScope(execution.root, async () => {
      try {
        await handler(input as never);
      } catch (error) {
        execution.fail(error);
      }
    });
  }

  function run({ id, name, input }: Update, handler: Handler): void {
    const shape: CallShape | undefined = settings.updates?.[name];
    execution.inScope(execution.root, async () => {
      try {
        const given = readerOf(shape?.input)(input, `The input of the update "${name}"`);
        const result = readerOf(shape?.output)(await handler(given as never), `The result of the update "${name}"`);
        execution.push({ type: 'complete_update', update_id: id, result: toJson(result) });
      } catch (error) {
        execution.push({ type: 'complete_update', update_id: id, failure: toFailure(error) });
      }
    });
  }

  return {
    signal(name: string, input: Json): void {
      let given: unknown;
      try {
        given = readSignal(name, input);
      } catch (error) {
        execution.log.warn(`A signal was passed over. ${(error as Error).message}`);
        return;
      }
      const handler = onSignal.get(name);
      const [receiver] = receivers.get(name) ?? [];
      if (handler) callHandler(handler, given);
      else if (receiver) {
        receivers.get(name)?.delete(receiver);
        receiver({ value: given as Json });
      } else unread.set(name, [...(unread.get(name) ?? []), given as Json]);
    },

    onSignal(name: string, handler: Handler): void {
      onSignal.set(name, handler);
      for (const input of unread.get(name) ?? []) callHandler(handler, input);
      unread.delete(name);
    },

    /** The oldest unread signal of this name, or the next one. */
    receive(name: string): { promise: Promise<unknown>; drop(): void } {
      const queue = unread.get(name);
      if (queue?.length) return { promise: Promise.resolve(queue.shift()), drop: () => undefined };
      const waiting = receivers.get(name) ?? new Set();
      receivers.set(name, waiting);
      let receiver: ((outcome: Outcome) => void) | undefined;
      const drop = () => void (receiver && waiting.delete(receiver));
      const promise = execution.wait((settle) => {
        receiver = settle;
        waiting.add(settle);
      }, drop);
      return { promise, drop };
    },

    update(update: Update): void {
      const handler = onUpdate.get(update.name);
      if (handler) run(update, handler);
      else waitingUpdates.push(update);
    },

    onUpdate(name: string, handler: Handler): void {
      onUpdate.set(name, handler);
      const theirs = waitingUpdates.filter((update) => update.name === name);
      for (const update of theirs) {
        waitingUpdates.splice(waitingUpdates.indexOf(update), 1);
        run(update, handler);
      }
    },

    /** At the end of a turn: rejects updates that are not declared; declared ones may still get their handler. */
    refuseUnknownUpdates(): void {
      for (const update of waitingUpdates.filter(({ name }) => !settings.updates?.[name])) {
        waitingUpdates.splice(waitingUpdates.indexOf(update), 1);
        const failure = {
          message: `The workflow has no update "${update.name}".`,
          type: 'UnknownUpdate',
          non_retryable: true,
        };
        execution.push({ type: 'complete_update', update_id: update.id, failure });
      }
    },

    onQuery(name: string, handler: Handler): void {
      onQuery.set(name, handler);
    },

    query(name: string, input: Json): Json {
      const handler = onQuery.get(name);
      if (!handler)
        throw new InvalidPayload(`The workflow "${execution.workflow.name}" has no query "${name}" at this point.`);
      const shape: CallShape | undefined = settings.queries?.[name];
      return execution.inQuery(() => {
        const given = readerOf(shape?.input)(input, `The input of the query "${name}"`);
        const result = handler(given as never);
        if (result instanceof Promise) {
          result.catch(() => undefined);
          throw new InvalidPayload(`The query "${name}" waits for something; a query only reads what is there.`);
        }
        return toJson(readerOf(shape?.output)(result, `The result of the query "${name}"`));
      });
    },

    /** Whether a message can continue the run. */
    canHear: () => onSignal.size > 0 || onUpdate.size > 1 || [...receivers.values()].some((set) => set.size > 0),
  };
}
