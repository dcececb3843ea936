/** A broken rule: where in the definition, which rule, and what to do about it. */
export type Problem = { at: string[]; rule: string; message: string };
