import type {
  Advance,
  Command,
  Failure,
  HistoryEvent,
  Json,
  StepResult,
} from '../../../../packages/workflows/src/protocol.ts';
import { type Payloads as PayloadPort, PayloadTooLarge, plainPayloads } from '../../payloads/port.ts';

/** Packs and unpacks payloads, before and after a transaction, never inside. */
export type Payloads = ReturnType<typeof createPayloads>;

/** Packed values to their originals. */
const plainValues = new WeakMap<object, Json>();

/** The original of a packed value: search keys are read from the input, which is packed before it is stored. */
export function beforePacking(packed: Json): Json {
  return (typeof packed === 'object' && packed !== null && plainValues.get(packed)) || packed;
}

const PAYLOAD_ATTRIBUTES = ['input', 'result', 'details'] as const;

/** Most payloads are small and need no waiting: then neither a promise nor a copy is made. */
type Soon<T> = T | Promise<T>;

export function createPayloads(port: PayloadPort) {
  const { unpack } = port;

  function pack(workspaceId: string, value: Json): Soon<Json> {
    return chain(port.pack(workspaceId, value), (packed) => remember(value, packed));
  }

  function packCommand(workspaceId: string, command: Command): Soon<Command> {
    switch (command.type) {
      case 'schedule_step':
        return replace(
          command,
          'input',
          mapList(command.input, (value) => pack(workspaceId, value)),
        );
      case 'start_child':
      case 'signal_execution':
      case 'continue_as_new':
        return replace(command, 'input', pack(workspaceId, command.input));
      case 'record_marker':
        return replace(command, 'details', pack(workspaceId, command.details));
      case 'complete':
        return replace(command, 'result', pack(workspaceId, command.result));
      case 'complete_update':
        return command.result === undefined ? command : replace(command, 'result', pack(workspaceId, command.result));
      default:
        return command;
    }
  }

  function packResult(workspaceId: string, outcome: StepResult): Soon<StepResult> {
    return 'result' in outcome ? replace(outcome, 'result', pack(workspaceId, outcome.result)) : outcome;
  }

  function unpackEvent(workspaceId: string, event: HistoryEvent): Soon<HistoryEvent> {
    let unpacked: Soon<HistoryEvent['attributes']> = event.attributes;
    for (const name of PAYLOAD_ATTRIBUTES) {
      const value = event.attributes[name];
      if (value === undefined || value === null) continue;
      const isList = name === 'input' && event.type === 'ACTIVITY_TASK_SCHEDULED' && Array.isArray(value);
      unpacked = chain(unpacked, (known) =>
        replace(known, name, isList ? mapList(value, (item) => unpack(workspaceId, item)) : unpack(workspaceId, value)),
      );
    }
    return replace(event, 'attributes', unpacked);
  }

  const isPlain = port === plainPayloads;
  return {
    pack,
    unpack: async (workspaceId: string, value: Json): Promise<Json> => unpack(workspaceId, value),
    /** A result that is too large becomes a failure that is not retried. */
    packResult: (workspaceId: string, outcome: StepResult): Soon<StepResult> =>
      unlessTooLarge(packResult(workspaceId, outcome), (failure) => ({ token: outcome.token, failure })),
    /** A turn with a payload that is too large fails its run. */
    packAdvance(workspaceId: string, advance: Advance): Soon<Advance> {
      if (isPlain) return advance;
      let failure: Failure | undefined;
      const noted = <T>(packed: Soon<T>, instead: T) =>
        unlessTooLarge(packed, (found) => {
          failure = found;
          return instead;
        });
      const results = mapList(advance.step_results, (result) =>
        noted(packResult(workspaceId, result), { token: result.token, result: null }),
      );
      return chain(results, (step_results) => {
        const commands = mapList(advance.commands, (command) => noted(packCommand(workspaceId, command), command));
        return chain(commands, (packed) => ({
          ...advance,
          step_results,
          commands: failure ? [{ type: 'fail', failure }] : packed,
        }));
      });
    },
    unpackList: (workspaceId: string, values: Json[]): Soon<Json[]> =>
      isPlain ? values : mapList(values, (value) => unpack(workspaceId, value)),
    unpackEvents: (workspaceId: string, events: HistoryEvent[]): Soon<HistoryEvent[]> =>
      isPlain ? events : mapList(events, (event) => unpackEvent(workspaceId, event)),
  };
}

function chain<A, B>(value: Soon<A>, next: (value: A) => Soon<B>): Soon<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function remember(value: Json, packed: Json): Json {
  if (packed !== value && typeof packed === 'object' && packed !== null) plainValues.set(packed, value);
  return packed;
}

/** The object itself if the value is the one it has. */
function replace<T extends object, K extends keyof T>(object: T, key: K, value: Soon<T[K]>): Soon<T> {
  return chain(value, (known) => (known === object[key] ? object : { ...object, [key]: known }));
}

function unlessTooLarge<T>(packed: Soon<T>, instead: (failure: Failure) => T): Soon<T> {
  return packed instanceof Promise ? packed.catch((error) => instead(tooLarge(error))) : packed;
}

function tooLarge(error: unknown): Failure {
  if (!(error instanceof PayloadTooLarge)) throw error;
  return { message: error.message, type: 'PayloadTooLarge', non_retryable: true };
}

/** In order, one after the other; the list itself if no item changes. */
function mapList<A>(list: A[], map: (item: A) => Soon<A>): Soon<A[]> {
  let mapped: A[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at] as A;
    const made = map(item);
    if (made instanceof Promise) return mapRest(mapped ?? list.slice(0, at), made, list.slice(at + 1), map);
    if (made !== item) mapped ??= list.slice(0, at);
    mapped?.push(made);
  }
  return mapped ?? list;
}

async function mapRest<A>(mapped: A[], next: Promise<A>, rest: A[], map: (item: A) => Soon<A>): Promise<A[]> {
  mapped.push(await next);
  for (const item of rest) mapped.push(await map(item));
  return mapped;
}
