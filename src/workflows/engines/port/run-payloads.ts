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

export function createPayloads(port: PayloadPort) {
  const { unpack } = port;

  async function pack(workspaceId: string, value: Json): Promise<Json> {
    const packed = await port.pack(workspaceId, value);
    if (packed !== value && typeof packed === 'object' && packed !== null) plainValues.set(packed, value);
    return packed;
  }

  async function packCommand(workspaceId: string, command: Command): Promise<Command> {
    switch (command.type) {
      case 'schedule_step':
        return { ...command, input: await mapList(command.input, (value) => pack(workspaceId, value)) };
      case 'start_child':
      case 'signal_execution':
      case 'continue_as_new':
        return { ...command, input: await pack(workspaceId, command.input) };
      case 'record_marker':
        return { ...command, details: await pack(workspaceId, command.details) };
      case 'complete':
        return { ...command, result: await pack(workspaceId, command.result) };
      case 'complete_update':
        return command.result === undefined ? command : { ...command, result: await pack(workspaceId, command.result) };
      default:
        return command;
    }
  }

  async function packResult(workspaceId: string, outcome: StepResult): Promise<StepResult> {
    return 'result' in outcome ? { ...outcome, result: await pack(workspaceId, outcome.result) } : outcome;
  }

  async function unpackEvent(workspaceId: string, event: HistoryEvent): Promise<HistoryEvent> {
    const attributes = { ...event.attributes };
    for (const name of PAYLOAD_ATTRIBUTES) {
      const value = attributes[name];
      if (value === undefined || value === null) continue;
      attributes[name] =
        name === 'input' && event.type === 'ACTIVITY_TASK_SCHEDULED' && Array.isArray(value)
          ? await mapList(value, (item) => unpack(workspaceId, item))
          : await unpack(workspaceId, value);
    }
    return { ...event, attributes };
  }

  const isPlain = port === plainPayloads;
  return {
    pack,
    unpack: async (workspaceId: string, value: Json): Promise<Json> => unpack(workspaceId, value),
    /** A result that is too large becomes a failure that is not retried. */
    packResult: (workspaceId: string, outcome: StepResult): Promise<StepResult> =>
      packResult(workspaceId, outcome).catch((error) => ({ token: outcome.token, failure: tooLarge(error) })),
    /** A turn with a payload that is too large fails its run. */
    async packAdvance(workspaceId: string, advance: Advance): Promise<Advance> {
      if (isPlain) return advance;
      let failure: Failure | undefined;
      const noted = <T>(instead: T) => {
        return (error: unknown): T => {
          failure = tooLarge(error);
          return instead;
        };
      };
      const step_results = await mapList(advance.step_results, (result) =>
        packResult(workspaceId, result).catch(noted<StepResult>({ token: result.token, result: null })),
      );
      const commands = await mapList(advance.commands, (command) =>
        packCommand(workspaceId, command).catch(noted(command)),
      );
      return { ...advance, step_results, commands: failure ? [{ type: 'fail', failure }] : commands };
    },
    unpackList: async (workspaceId: string, values: Json[]): Promise<Json[]> =>
      isPlain ? values : mapList(values, (value) => unpack(workspaceId, value)),
    unpackEvents: async (workspaceId: string, events: readonly HistoryEvent[]): Promise<HistoryEvent[]> =>
      isPlain ? [...events] : mapList(events, (event) => unpackEvent(workspaceId, event)),
  };
}

function tooLarge(error: unknown): Failure {
  if (!(error instanceof PayloadTooLarge)) throw error;
  return { message: error.message, type: 'PayloadTooLarge', non_retryable: true };
}

async function mapList<A, B>(list: readonly A[], map: (item: A) => Promise<B> | B): Promise<B[]> {
  const mapped: B[] = [];
  for (const item of list) mapped.push(await map(item));
  return mapped;
}
