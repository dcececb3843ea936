/** Some servers repeat the prefix of the completion, others do not. `prefix` is what is still expected. */
export type PrefixState = { prefix: string; held: string };

/** The text without a repeated prefix, as far as that is known already. */
export function stripPrefix(state: PrefixState, text: string): string {
  if (state.prefix === '') return text;
  const all = state.held + text;
  if (all.length < state.prefix.length && state.prefix.startsWith(all)) {
    state.held = all;
    return '';
  }
  const stripped = all.startsWith(state.prefix) ? all.slice(state.prefix.length) : all;
  state.prefix = '';
  state.held = '';
  return stripped;
}

export function endPrefix(state: PrefixState): string {
  const { held } = state;
  state.held = '';
  state.prefix = '';
  return held;
}
