import { ChatCompletionRequest, type CompletionArgs } from '../../chat/index.ts';
import type { Noted } from '../schema/memo.ts';
import type { RunTask, Speaker } from '../schema/run.ts';
import { toMessages } from './to-messages.ts';
import type { Toolbox } from './tools.ts';

type Question = {
  speaker: Speaker;
  toolbox: Toolbox;
  history: readonly Noted[];
  task: Pick<RunTask, 'completionArgs'>;
  /** A run's last turn must be an answer. */
  isLast: boolean;
  /** False when the run has handed over as often as it may. */
  mayHandOver: boolean;
  /** A forced call is forced once: asked for again after its result, a run would never end. */
  isFirst: boolean;
};

/** The next question to the model, in the words of a chat completion. */
export function requestOf({
  speaker,
  toolbox,
  history,
  task,
  isLast,
  mayHandOver,
  isFirst,
}: Question): ChatCompletionRequest {
  const args: CompletionArgs = { ...speaker.completionArgs, ...given(task.completionArgs) };
  const { tool_choice, response_format, prediction, ...sampling } = args;
  const tools = isLast ? [] : toolsOf(speaker, toolbox, mayHandOver);
  return ChatCompletionRequest.parse({
    ...sampling,
    // The chat asks for more than 0, which means the same as a very small share.
    ...(sampling.top_p === 0 ? { top_p: Number.MIN_VALUE } : {}),
    ...(response_format ? { response_format } : {}),
    ...(prediction ? { prediction } : {}),
    model: speaker.model,
    guardrails: speaker.guardrails,
    ...(speaker.variables === undefined ? {} : { metadata: { variables: speaker.variables } }),
    messages: toMessages(instructionsOf(speaker, toolbox), history),
    ...(tools.length > 0 ? { tools, tool_choice: isFirst || tool_choice === 'none' ? tool_choice : 'auto' } : {}),
  });
}

function instructionsOf({ instructions }: Speaker, toolbox: Toolbox): string | null {
  const troubles = toolbox.troubles.map(({ message }) => message);
  return [instructions, ...toolbox.instructions, ...troubles].filter(Boolean).join('\n\n') || null;
}

function toolsOf({ tools, handoffs }: Speaker, toolbox: Toolbox, mayHandOver: boolean) {
  const functions = tools.flatMap((tool) => (tool.type === 'function' ? [tool] : []));
  const server = toolbox.tools.map(({ name, description, parameters }) => functionOf(name, description, parameters));
  const agents = (mayHandOver ? handoffs : []).map((agent) =>
    functionOf(handoffName(agent), `Hand the conversation over to ${agent.name}. ${agent.description ?? ''}`.trim(), {
      type: 'object',
      properties: {},
    }),
  );
  return [...functions, ...server, ...agents];
}

function functionOf(name: string, description: string, parameters: Record<string, unknown>) {
  return { type: 'function' as const, function: { name, description, parameters, strict: false } };
}

/** A function's name for an agent: its own name as far as a function may have it, and enough of the id to be its only one. */
export function handoffName({ id, name }: { id: string; name: string }): string {
  const plain = name.replace(/[^a-zA-Z0-9]+/g, '_').slice(0, 32);
  return `handoff_to_${plain}_${id.slice(-8)}`;
}

// A default that the client did not write must not hide what the agent has.
function given(args: CompletionArgs | null): Partial<CompletionArgs> {
  if (!args) return {};
  const { tool_choice, ...rest } = args;
  return tool_choice === 'auto' ? rest : args;
}
