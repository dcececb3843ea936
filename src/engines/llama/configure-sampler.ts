import type { Guide } from './guide/create-guide.ts';
import type { Chances, Meter, SamplerHandle } from './measure-token.ts';

export type Sampler = {
  handle: object;
  /** Called before each choice. */
  prepare(): void;
  /** Where the answer is in its grammar, if it has one that can be followed. */
  guide?: Guide | undefined;
  /** From now on the model may end its answer. */
  allowEnd(): void;
  /** Only for answers whose chances are wanted: those of a token, and of the likeliest, at a place. */
  measure?(place: number, token: number): Promise<Chances>;
  dispose(): void;
};

export type SamplerOptions = {
  temperature: number;
  topP: number;
  topK?: number | undefined;
  seed: number;
  presencePenalty: number;
  frequencyPenalty: number;
  repetitionPenalty: number;
  /** Of how many of the likeliest tokens the chances are wanted; undefined for none at all. */
  measured?: number | undefined;
  grammar?: string | undefined;
  /** For schemas whose grammar the native parser refuses. */
  looserGrammar?: string | undefined;
  createGuide?: ((gbnf: string) => Guide | undefined) | undefined;
  /** Tokens that the grammar has behind it already. */
  begunWith?: number[];
  /** Tokens that must not come before `allowEnd`. */
  withheldTokens?: number[];
  /** What is added to the chances of single tokens. */
  bias?: [token: number, value: number][];
};

/** Sorting the whole vocabulary costs milliseconds a token; beyond these the chances are nil. */
const TOP_K = 512;
const WITHHELD = -1e9;
/** No other token comes near with it, and what tells two of them apart is not lost in the rounding. */
const PREFERRED = 100;

/**
 * Small models repeat themselves without end where a grammar keeps them from ending. Only repetitions that honest data
 * hardly has are made unlikely: so many equal tokens in a row, and each further one more so.
 */
const AGAINST_LOOPS = {
  dryRepeatPenaltyStrength: 1,
  dryRepeatPenaltyBase: 1.3,
  dryRepeatPenaltyAllowedLength: 20,
  dryRepeatPenaltyLastTokens: 512,
  dryRepeatPenaltySequenceBreakers: [],
};

type Parts = {
  handle: SamplerHandle;
  meter: Meter | undefined;
  contextTokensMax: number;
  grammar?: { state: object; guide: Guide | undefined };
};

type Bias = [token: number, value: number][];

export function configureSampler(
  { handle, meter, contextTokensMax, grammar }: Parts,
  options: SamplerOptions,
): Sampler {
  const { presencePenalty, frequencyPenalty, repetitionPenalty, bias = [], withheldTokens = [] } = options;
  const hasPenalty = presencePenalty !== 0 || frequencyPenalty !== 0 || repetitionPenalty !== 1;
  const config = {
    temperature: options.temperature,
    topK: Math.min(options.topK ?? TOP_K, TOP_K),
    topP: options.topP,
    seed: options.seed,
    ...(hasPenalty
      ? {
          repeatPenalty: repetitionPenalty,
          // What is generated is added by the sampler itself.
          repeatPenaltyTokens: new Uint32Array(),
          repeatPenaltyMaxTokens: contextTokensMax,
          repeatPenaltyPresencePenalty: presencePenalty,
          repeatPenaltyFrequencyPenalty: frequencyPenalty,
        }
      : {}),
    ...(grammar ? { ...AGAINST_LOOPS, grammarEvaluationState: grammar.state } : {}),
  };
  let withheld = withheldTokens.map((token): [number, number] => [token, WITHHELD]);
  let isPreferring = false;
  const apply = (preferred: Bias) => handle.applyConfig({ ...config, ...biasOf([...bias, ...withheld, ...preferred]) });
  apply([]);
  // A sampler that is configured anew forgets what its penalties are for.
  const prefers = grammar?.guide !== undefined && !hasPenalty;

  return {
    handle,
    guide: grammar?.guide,
    // llama.cpp compares every word of the vocabulary with the grammar when the likeliest one does not fit. With those that
    // fit far ahead of the others, the likeliest always does, and their order stays.
    prepare() {
      if (!prefers || withheld.length > 0) return;
      const allowed = grammar?.guide?.allowed() ?? [];
      if (allowed.length === 0 && !isPreferring) return;
      isPreferring = allowed.length > 0;
      apply(allowed.map((token) => [token, PREFERRED]));
    },
    allowEnd() {
      withheld = [];
      apply([]);
    },
    ...(meter ? { measure: meter.measure } : {}),
    dispose() {
      handle.dispose();
      meter?.dispose();
    },
  };
}

/** Of several values for one token their sum counts. */
function biasOf(bias: Bias) {
  if (bias.length === 0) return {};
  const sums = new Map<number, number>();
  for (const [token, value] of bias) sums.set(token, (sums.get(token) ?? 0) + value);
  return { tokenBiasKeys: Uint32Array.from(sums.keys()), tokenBiasValues: Float32Array.from(sums.values()) };
}
