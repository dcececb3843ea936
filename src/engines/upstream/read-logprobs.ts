import type { Delta, Logprobs, PlacedLogprob, TokenLogprob } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import type { WireChoice, WireResponse } from './response-parts.ts';

/** For servers that do not tell the ids of their tokens; clients require a number. */
const UNKNOWN_ID = -1;
/** JSON has no infinity; servers that have met one send a number like this. */
const LOGPROB_MIN = -9999;
const TOKEN_BYTES_MAX = 4096;

type WireLogprob = {
  token?: unknown;
  logprob?: unknown;
  bytes?: unknown;
  token_id?: unknown;
  id?: unknown;
  top_logprobs?: unknown;
} | null;

/** What a choice brings, in the words of OpenAI, vLLM, llama.cpp or Mistral, after what is still held back. */
export function readLogprobs(held: Logprobs | undefined, choice: WireChoice): Logprobs | undefined {
  const content = readContent(choice.logprobs);
  const prompt = readContent(choice.prompt_logprobs);
  if (!content && !prompt) return held;
  const found: Logprobs = held ?? {};
  if (content) found.logprobs = found.logprobs ? [...found.logprobs, ...content] : content;
  if (prompt) found.promptLogprobs = prompt;
  return found;
}

function readContent(value: unknown): PlacedLogprob[] | undefined {
  const content = typeof value === 'object' && value !== null ? (value as { content?: unknown }).content : undefined;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  return content.map((one: WireLogprob) => {
    const placed: PlacedLogprob = readToken(one);
    const top = one?.top_logprobs;
    if (Array.isArray(top) && top.length > 0) placed.top_logprobs = top.map(readToken);
    return placed;
  });
}

function readToken(value: WireLogprob): TokenLogprob {
  const token = value?.token;
  if (typeof token !== 'string') throw engineErrors.upstream_invalid_response();
  return toToken(token, value?.logprob, value?.token_id ?? value?.id, value?.bytes);
}

function toToken(token: string, logprob: unknown, id: unknown, bytes: unknown): TokenLogprob {
  return {
    token,
    logprob: typeof logprob === 'number' && Number.isFinite(logprob) ? Math.max(logprob, LOGPROB_MIN) : LOGPROB_MIN,
    bytes: isBytes(bytes) ? bytes : [...Buffer.from(token).subarray(0, TOKEN_BYTES_MAX)],
    token_id: Number.isSafeInteger(id) ? (id as number) : UNKNOWN_ID,
  };
}

function isBytes(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= TOKEN_BYTES_MAX && value.every((byte) => Number.isInteger(byte));
}

/** vLLM has the prompt beside the choices: for each place the tokens by their ids, `null` for the first. */
export function addPromptLogprobs(response: WireResponse, deltas: Delta[]): void {
  const { prompt_logprobs: places, prompt_token_ids: ids } = response;
  if (!Array.isArray(places)) return;
  const first = deltas.find((delta) => delta.kind !== 'tool_call' && delta.kind !== 'usage');
  if (!first) return;
  const found: PlacedLogprob[] = [];
  for (const [index, place] of places.entries()) {
    if (typeof place !== 'object' || place === null) continue;
    const placed = readPlace(place as Record<string, unknown>, Array.isArray(ids) ? ids[index] : undefined);
    // A place whose own token cannot be told from the likeliest ones would be a guess.
    if (!placed) return;
    found.push(placed);
  }
  if (found.length > 0) first.promptLogprobs = found;
}

type Ranked = { rank: number; token: TokenLogprob };

function readPlace(place: Record<string, unknown>, id: unknown): PlacedLogprob | undefined {
  const ranked: Ranked[] = Object.entries(place).map(([key, value]) => {
    const { logprob, rank, decoded_token: text } = (value ?? {}) as Record<string, unknown>;
    const token = toToken(typeof text === 'string' ? text : '', logprob, Number(key), undefined);
    return { rank: typeof rank === 'number' ? rank : 0, token };
  });
  ranked.sort((a, b) => a.rank - b.rank);
  const own = ranked.length === 1 ? ranked[0] : ranked.find(({ token }) => token.token_id === id);
  if (!own) return undefined;
  if (ranked.length === 1) return own.token;
  // The token that stands there is listed even if it is not one of the likeliest.
  const top = ranked.filter(({ rank }) => rank <= ranked.length);
  return { ...own.token, top_logprobs: top.map(({ token }) => token) };
}
