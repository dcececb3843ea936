import {
  ChatCompletionRequest,
  type ChatService,
  type CompletionArgs,
  type Message,
  type Turn,
} from '../../chat/index.ts';
import { parseStored, type Scope } from '../../kit/http/index.ts';
import { traceWithin } from '../../metering/index.ts';
import { conversationErrors } from '../errors.ts';
import type { Entry, EntryOf, StoredEntry } from '../schema/entries.ts';
import type { RunTask, Speaker } from '../schema/run.ts';
import type { Run } from './run.ts';
import type { Toolbox } from './toolbox.ts';

/** Model turns in one run. In the last one the model gets no tools, so that it must reply. */
const TURNS_MAX = 24;
/** Calls that the server runs in one run. After them the model gets no tools either. */
const CALLS_MAX = 128;
/** Handoffs in one run; a cycle of agents ends here. */
export const HANDOFFS_MAX = 8;

/** Stands for a reply that never came: no chat template allows a user message right after a tool message. */
const INTERRUPTED = 'The answer was interrupted.';

type NextTurn = Pick<Run, 'speaker' | 'toolbox' | 'history' | 'task' | 'progress'>;

/** Has the chat service admit the next model turn: whatever can refuse it (rules, guardrails, limits) does so here. */
export function openTurn(
  chat: Pick<ChatService, 'openTurn'>,
  scope: Scope,
  next: NextTurn,
  signal: AbortSignal,
  setHeader: (name: string, value: string) => void = () => undefined,
): Promise<Turn> {
  const { requestId, conversationId, place, isPrivate } = next.task;
  const { agent } = next.speaker;
  const trace = {
    ...(place && traceWithin(place)),
    ...{ conversationId, agentId: agent?.id, agentName: agent?.name, agentVersion: agent?.version },
  };
  return chat.openTurn({ scope, requestId, signal, setHeader, trace, isPrivate }, toChatRequest(next));
}

function toChatRequest({ speaker, toolbox, history, task, progress }: NextTurn): ChatCompletionRequest {
  const args: CompletionArgs = { ...speaker.completionArgs, ...withoutDefaults(task) };
  const { tool_choice, response_format, prediction, ...sampling } = args;
  const isLast = progress.turns + 1 >= TURNS_MAX || countCalls(progress) >= CALLS_MAX;
  const tools = isLast ? [] : listTools(speaker, toolbox, progress.handoffs < HANDOFFS_MAX);
  // A call is forced only once: forced again after its result, a run would never end.
  const choice = progress.turns === 0 || tool_choice === 'none' ? tool_choice : 'auto';
  return parseStored(ChatCompletionRequest, {
    ...sampling,
    // Chat requires more than 0; the smallest number means the same.
    ...(sampling.top_p === 0 ? { top_p: Number.MIN_VALUE } : {}),
    ...(response_format ? { response_format } : {}),
    ...(prediction ? { prediction } : {}),
    model: speaker.model,
    guardrails: speaker.guardrails,
    ...(speaker.variables === undefined ? {} : { metadata: { variables: speaker.variables } }),
    messages: toMessages(joinInstructions(speaker, toolbox), history),
    ...(tools.length > 0 ? { tools, tool_choice: choice } : {}),
    ...(task.parallelToolCalls === false ? { parallel_tool_calls: false } : {}),
  });
}

function countCalls({ usage: { connectors } }: NextTurn['progress']): number {
  return Object.values(connectors ?? {}).reduce((sum, count) => sum + count, 0);
}

// The default of tool_choice must not override the agent's.
function withoutDefaults({ completionArgs: args }: RunTask): Partial<CompletionArgs> {
  if (!args) return {};
  const { tool_choice, ...rest } = args;
  return tool_choice === 'auto' ? rest : args;
}

function joinInstructions({ instructions }: Speaker, toolbox: Toolbox): string | null {
  const troubles = toolbox.troubles.map(({ message }) => message);
  return [instructions, ...toolbox.instructions, ...troubles].filter(Boolean).join('\n\n') || null;
}

function listTools({ tools, handoffs }: Speaker, toolbox: Toolbox, mayHandOver: boolean) {
  const functions = tools.flatMap((tool) => (tool.type === 'function' ? [tool] : []));
  const server = toolbox.tools.map(({ name, description, parameters }) => toFunction(name, description, parameters));
  const agents = (mayHandOver ? handoffs : []).map((agent) =>
    toFunction(handoffName(agent), `Hand the conversation over to ${agent.name}. ${agent.description ?? ''}`.trim(), {
      type: 'object',
      properties: {},
    }),
  );
  return [...functions, ...server, ...agents];
}

function toFunction(name: string, description: string, parameters: Record<string, unknown>) {
  return { type: 'function' as const, function: { name, description, parameters, strict: false } };
}

/** The agent's name in the characters of a function name, made unique by the end of its id. */
function handoffName({ id, name }: { id: string; name: string }): string {
  const plain = name.replace(/[^a-zA-Z0-9]+/g, '_').slice(0, 32);
  return `handoff_to_${plain}_${id.slice(-8)}`;
}

/** The agent that a call of this name hands the conversation over to. */
export function findHandoff({ handoffs }: Speaker, functionName: string): Speaker['handoffs'][number] | undefined {
  return handoffs.find((agent) => handoffName(agent) === functionName);
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type ToolMessage = Extract<Message, { role: 'tool' }>;

/** A message of the assistant and its calls in the same turn become one chat message, followed by the results. */
function toMessages(instructions: string | null, entries: readonly StoredEntry[]): Message[] {
  const messages: Message[] = instructions ? [{ role: 'system', content: instructions }] : [];
  /** Calls that the client saw before the server ran them; they are not repeated. */
  const shown = new Set<string>();
  let reply: { message: AssistantMessage; turn: number | undefined; results: ToolMessage[] } | undefined;

  function endReply(): void {
    if (!reply) return;
    messages.push(reply.message, ...reply.results);
    reply = undefined;
  }

  function addCall(id: string, name: string, given: string | Record<string, unknown>, turn: number | undefined) {
    if (!reply || reply.turn !== turn) {
      endReply();
      reply = { message: { role: 'assistant', content: '', tool_calls: [], prefix: false }, turn, results: [] };
    }
    const calls = reply.message.tool_calls ?? [];
    const call = { id, type: 'function' as const, index: calls.length, function: { name, arguments: given } };
    reply.message.tool_calls = [...calls, call];
    return reply;
  }

  for (const { entry, memo } of entries) {
    switch (entry.type) {
      case 'message.input':
        endReply();
        if (entry.role === 'user') {
          if (messages.at(-1)?.role === 'tool')
            messages.push({ role: 'assistant', content: INTERRUPTED, prefix: false });
          messages.push({ role: 'user', content: toContent(entry) });
        } else messages.push({ role: 'assistant', content: toContent(entry), prefix: entry.prefix });
        break;
      case 'message.output':
        endReply();
        reply = {
          message: { role: 'assistant', content: toContent(entry), prefix: false },
          turn: memo?.turn,
          results: [],
        };
        break;
      case 'function.call':
        shown.add(entry.tool_call_id);
        addCall(entry.tool_call_id, entry.name, entry.arguments, memo?.turn);
        break;
      case 'function.result':
        endReply();
        messages.push({ role: 'tool', content: entry.result, tool_call_id: entry.tool_call_id });
        break;
      case 'tool.execution': {
        const recorded = {
          id: makeCallId(entry),
          name: entry.name,
          result: entry.info ? JSON.stringify(entry.info) : '',
        };
        const { id, name, result } = memo?.call ?? recorded;
        const message: ToolMessage = { role: 'tool', content: result, tool_call_id: id };
        if (shown.has(id)) {
          endReply();
          messages.push(message);
        } else addCall(id, name, entry.arguments, memo?.turn).results.push(message);
        break;
      }
      case 'agent.handoff':
        if (memo?.call) {
          const { id, name, result } = memo.call;
          addCall(id, name, '{}', memo.turn).results.push({ role: 'tool', content: result, tool_call_id: id });
        }
        break;
    }
  }
  endReply();
  return messages;
}

type Content = Exclude<Message['content'], null | undefined>;

function toContent(entry: EntryOf<'message.input' | 'message.output'>): Content {
  if (typeof entry.content === 'string') return entry.content;
  const chunks = entry.content.flatMap((chunk) => {
    // The model has read the text of sources as the result of the tool.
    if (chunk.type === 'tool_reference') return [];
    if (chunk.type === 'tool_file')
      return [{ type: 'text' as const, text: `[file ${chunk.file_name ?? chunk.file_id}]` }];
    return [chunk];
  });
  if (chunks.length === 0) throw conversationErrors.message_empty();
  return chunks as Content;
}

// Executions that the client sent as inputs have no recorded call; any nine characters are a valid id.
function makeCallId({ id }: Entry): string {
  return id
    .replace(/[^a-zA-Z0-9]/g, '')
    .padEnd(9, '0')
    .slice(-9);
}
