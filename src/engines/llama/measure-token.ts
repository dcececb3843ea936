export type SamplerHandle = { applyConfig(config: Record<string, unknown>): void; dispose(): void };

/** The token, the chances of all that were left to choose from (token, chance, token, …), and its own chance. */
type Sampled = [token: number, chances: number[] | undefined, confidence: number | undefined];

/** What of a context a meter needs. */
export type Measurable = {
  sampleToken(place: number, sampler: object, chances: boolean, confidence: boolean): Promise<Sampled>;
};

/** A token and the natural logarithm of its chance. */
export type Chance = { token: number; logprob: number };
export type Chances = Chance & { top: Chance[] };

export type Meter = { measure(place: number, token: number): Promise<Chances>; dispose(): void };

/** The chosen token is nearly always among so many; only a grammar forces others. */
const RANKED = 512;
/** JSON has no infinity, and no chance of a real token is smaller. */
const LOGPROB_MIN = -9999;

/**
 * The model's own chances, before temperature, penalties and grammars. The library shows the chances of what a sampler
 * leaves over, as parts of just that. So one sampler ranks the likeliest, and another, which leaves everything over, says
 * how likely the first of them is among all tokens: handing over the whole vocabulary would cost milliseconds a token.
 */
export function createMeter(context: Measurable, open: () => SamplerHandle, top: number): Meter {
  const whole = open();
  const ranked = open();
  whole.applyConfig({ temperature: 0 });
  ranked.applyConfig({ temperature: 1, topK: RANKED, topP: 1, seed: 0 });

  async function rankAll(place: number): Promise<Chance[]> {
    const [, chances = []] = await context.sampleToken(place, whole, true, false);
    return toChances(chances, 1);
  }

  return {
    async measure(place, token) {
      const [, , first = 1] = await context.sampleToken(place, whole, false, true);
      const [, chances = []] = await context.sampleToken(place, ranked, true, false);
      const list = toChances(chances, first / (chances[1] ?? 1));
      const found =
        list.find((one) => one.token === token) ?? (await rankAll(place)).find((one) => one.token === token);
      return { token, logprob: found?.logprob ?? LOGPROB_MIN, top: list.slice(0, top) };
    },
    dispose() {
      whole.dispose();
      ranked.dispose();
    },
  };
}

function toChances(pairs: number[], scale: number): Chance[] {
  const list: Chance[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const chance = (pairs[at + 1] ?? 0) * scale;
    list.push({ token: pairs[at] ?? 0, logprob: chance > 0 ? Math.min(0, Math.log(chance)) : LOGPROB_MIN });
  }
  return list;
}
