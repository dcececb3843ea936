import { randomInt } from 'node:crypto';
import type { Tenant } from '../../kit/fair-queue/index.ts';
import type { Delta, FinishReason } from '../engine.ts';
import { Refusal } from '../process/protocol.ts';
import type { Sampler, SamplerOptions } from './configure-sampler.ts';
import { createLogprobHolder, type LogprobHolder } from './hold-logprobs.ts';
import type { Native } from './native.ts';
import { type AnswerReader, createAnswerReader, type Piece } from './output/read-answer.ts';
import { createTokenReader, type TokenReader } from './output/read-tokens.ts';
import { type Prepared, promptTooLong } from './prepare-request.ts';
import type { Scheduler } from './scheduler.ts';
import type { Task } from './task.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Measuring a token of a prompt takes longer than reading it. */
const MEASURED_PROMPT_MAX = 8192;

type Parts = {
  native: Native;
  words: Vocabulary;
  scheduler: Scheduler;
  tenant: Tenant | undefined;
  workspace: string | undefined;
  createGuide: SamplerOptions['createGuide'];
};

/** Generates every choice of one request, and the usage when the last of them ends. */
export async function serveRequest(
  prepared: Prepared,
  { native, words, scheduler, tenant, workspace, createGuide }: Parts,
  give: (...deltas: Delta[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { prompt, choices } = prepared;
  checkLength(prepared, native.contextTokens);
  const seed = prepared.seed ?? randomInt(2 ** 32);
  const usage = { promptTokens: prompt.length, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  let open = choices;
  const tasks: Task[] = [];
  if (prepared.maxTokens === 0 && prepared.promptLogprobs === undefined) {
    for (let choice = 0; choice < choices; choice++) close(choice, undefined, [], 'length');
    return;
  }

  for (let choice = 0; choice < choices; choice++) tasks.push(createTask(choice, tasks[0]));
  for (const task of tasks) scheduler.submit(task);
  const leave = () => {
    cancelAll();
    resolve();
  };
  signal.addEventListener('abort', leave, { once: true });
  return finished;

  function createSampler(choice: number): Promise<Sampler> {
    return native.createSampler({
      ...prepared.sampling,
      seed: (seed + choice) % 2 ** 32,
      createGuide,
      ...(prepared.minTokens > 0 ? { withheldTokens: words.endTokens } : {}),
    });
  }

  function createTask(choice: number, leader: Task | undefined): Task {
    const text = createTokenReader(words.detokenize);
    const answer = createAnswerReader({ ...prepared.answer, createCallId });
    const held = createLogprobHolder(prepared, words, choice);
    let made = 0;
    let sampler: Sampler | undefined;
    return {
      ...held.wanted,
      tenant,
      workspace,
      prompt,
      leader,
      async createSampler() {
        sampler = await createSampler(choice);
        return sampler;
      },
      placed(cachedTokens) {
        if (choice === 0) usage.cachedTokens = cachedTokens;
      },
      accept(token, chances) {
        if (prepared.maxTokens === 0) return close(choice, held, [], 'length');
        made++;
        usage.completionTokens++;
        if (answer.isThinking()) usage.reasoningTokens++;
        if (made === prepared.minTokens) sampler?.allowEnd();
        if (words.isEnd(token)) return finish(choice, held, text, answer);
        if (chances) held.add(chances);
        const { pieces, stopped } = answer.push(text.push(token), made >= prepared.minTokens);
        if (stopped) return close(choice, held, pieces, 'stop');
        if (pieces.length > 0) give(...held.attach(pieces.map((piece) => toDelta(choice, piece))));
        if (made >= prepared.maxTokens) return finish(choice, held, text, answer, 'length');
        if (prompt.length + made >= native.contextTokens) return finish(choice, held, text, answer, 'model_length');
        return true;
      },
      fail(error) {
        cancelAll();
        reject(error);
      },
    };
  }

  function finish(
    choice: number,
    held: LogprobHolder,
    text: TokenReader,
    answer: AnswerReader,
    cut?: 'length' | 'model_length',
  ): false {
    const before = answer.push(text.flush());
    const rest = answer.end(cut);
    const pieces = before.stopped ? before.pieces : [...before.pieces, ...rest.pieces];
    return close(choice, held, pieces, before.stopped ? 'stop' : rest.finish);
  }

  function close(choice: number, held: LogprobHolder | undefined, pieces: Piece[], reason: FinishReason): false {
    const deltas: Delta[] = [...pieces.map((piece) => toDelta(choice, piece)), { kind: 'finish', choice, reason }];
    give(...(held?.attach(deltas) ?? deltas));
    open--;
    if (open === 0) {
      const { reasoningTokens, ...counted } = usage;
      give({ kind: 'usage', usage: reasoningTokens > 0 ? usage : counted });
      resolve();
    }
    return false;
  }

  function cancelAll(): void {
    for (const task of tasks) scheduler.cancel(task);
  }
}

function checkLength({ prompt, maxTokens, promptLogprobs }: Prepared, contextTokens: number): void {
  if (promptLogprobs !== undefined && prompt.length > MEASURED_PROMPT_MAX)
    throw new Refusal(
      'prompt_too_long',
      `The prompt has ${prompt.length} tokens; with prompt_logprobs it can have at most ${MEASURED_PROMPT_MAX}.`,
    );
  if (prompt.length >= contextTokens) throw promptTooLong(prompt.length, contextTokens);
  if (Number.isFinite(maxTokens) && prompt.length + maxTokens > contextTokens)
    throw new Refusal(
      'prompt_too_long',
      `The prompt has ${prompt.length} tokens and max_tokens asks for ${maxTokens}: this model's context holds ${contextTokens} tokens, prompt and answer together.`,
    );
}

function toDelta(choice: number, piece: Piece): Delta {
  return piece.kind === 'tool_call' ? { kind: 'tool_call', choice, call: piece.call } : { ...piece, choice };
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function createCallId(): string {
  return Array.from({ length: 9 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
