/** Some servers repeat the prefix of the completion, others do not. `at` is how much of it has come already. */
export type PrefixState = { prefix: string; at: number };

/** The text without a repeated prefix, as far as that is known already. */
export function stripPrefix(state: PrefixState, text: string): string {
  const { prefix, at } = state;
  if (prefix === '') return text;
  const left = prefix.length - at;
  if (text.length < left && prefix.startsWith(text, at)) {
    state.at += text.length;
    return '';
  }
  const isRepeated = text.length >= left && text.startsWith(prefix.slice(at));
  const shown = isRepeated ? text.slice(left) : prefix.slice(0, at) + text;
  state.prefix = '';
  return shown;
}

/** What was taken for the prefix and was not, because the answer ended within it. */
export function endPrefix(state: PrefixState): string {
  const held = state.prefix.slice(0, state.at);
  state.prefix = '';
  return held;
}
