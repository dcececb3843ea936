import type { SpeechUsage } from './schema/speech.ts';

const CHARACTERS_PER_TOKEN = 4;
/** A token of sound is 80 ms, as in the audio models of the platform whose API this is. */
const TOKENS_PER_SECOND = 12.5;
/** How fast people speak, for what a text will come to. */
const CHARACTERS_PER_SECOND = 15;

export type SpokenTokens = { promptTokens: number; completionTokens: number };

export function estimateTokens({ length }: string): number {
  return promptTokensOf(length) + Math.ceil((length / CHARACTERS_PER_SECOND) * TOKENS_PER_SECOND);
}

export function textTokens({ length }: string): SpokenTokens {
  return { promptTokens: promptTokensOf(length), completionTokens: 0 };
}

export function soundTokens(seconds: number): SpokenTokens {
  return { promptTokens: 0, completionTokens: Math.ceil(seconds * TOKENS_PER_SECOND) };
}

/** The text counts whole once it has been taken, the sound as far as it was made. */
export function countTokens(text: string, seconds: number): SpokenTokens {
  return { promptTokens: promptTokensOf(text.length), completionTokens: Math.ceil(seconds * TOKENS_PER_SECOND) };
}

export function showUsage({ promptTokens, completionTokens }: SpokenTokens): SpeechUsage {
  const message = { role: 'user' as const, total_tokens: promptTokens, truncated: false, usage_count: 1 };
  const details = { messages: [message], cached_tokens: 0, audio_tokens: 0 };
  return {
    prompt_audio_seconds: null,
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
    request_count: 1,
    prompt_tokens_details: details,
    completion_tokens_details: { reasoning_tokens: 0 },
    prompt_token_details: details,
    num_cached_tokens: 0,
  };
}

function promptTokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
