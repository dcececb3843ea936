/**
 * A request that this model cannot serve, in words for the client. The parent turns it into a 400; the child has no
 * other use for the HTTP room, which would take half a second to load.
 */
export class Refusal extends Error {}

export function promptTooLong(tokens: number | 'far too many', contextTokens: number): Refusal {
  return new Refusal(
    `The prompt has ${tokens} tokens, which is too long: this model's context holds ${contextTokens} tokens, prompt and answer together.`,
  );
}

/** Why a model cannot be opened, in words for clients; what the library said is the cause. */
export class StartFailure extends Error {}
