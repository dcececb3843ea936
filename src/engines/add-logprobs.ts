import type { Logprobs } from './engine.ts';

/** Appends the log probabilities of a later delta to what came before it. */
export function addLogprobs(to: Logprobs, { logprobs, promptLogprobs }: Logprobs): void {
  if (logprobs) {
    if (to.logprobs) for (const one of logprobs) to.logprobs.push(one);
    else to.logprobs = logprobs;
  }
  if (promptLogprobs) to.promptLogprobs = promptLogprobs;
}
