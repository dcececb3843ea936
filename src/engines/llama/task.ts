import type { Tenant } from '../../kit/fair-queue/index.ts';
import type { Sampler } from './configure-sampler.ts';
import type { Drafter } from './draft-tokens.ts';
import type { Chances } from './measure-token.ts';
import type { Slot } from './sequences.ts';

/** One answer in the making, as the scheduler sees it. */
export type Task = {
  tenant: Tenant | undefined;
  /** Whose prompts its own may be remembered with. */
  workspace?: string | undefined;
  prompt: number[];
  /** Another answer to the same prompt, evaluated first so that this one can copy it. */
  leader: Task | undefined;
  /** Called once it has a sequence: a sampler takes memory for the whole vocabulary. */
  createSampler(): Promise<Sampler>;
  /** Takes the next token, with its chances if they are measured, and says whether to go on. */
  accept(token: number, chances?: Chances): boolean;
  measuresAnswer?: boolean;
  /** Takes the chances of each token of the prompt but the first; `measured` counts the tokens that were read for them. */
  promptMeter?: { measured: number; take(chances: Chances): void };
  fail(error: unknown): void;
  /** Called once, when a sequence was found: how many tokens of the prompt were there already. */
  placed(cachedTokens: number): void;
};

/** `tokens` are the prompt and what was generated before the sequence was given back, if it was. */
export type Waiting = {
  task: Task;
  tenant: Tenant | undefined;
  tokens: number[];
  drafter: Drafter;
  sampler?: Sampler;
};

export type Running = Waiting & {
  sampler: Sampler;
  slot: Slot;
  evaluated: number;
  remaining: number;
  /** What it probably goes on with, evaluated along with its last token. */
  draft: number[];
  placedAt: number;
  /** How long its last token took to choose, and until when the others go on without it for that. */
  tookMs: number;
  restsUntil: number;
};
