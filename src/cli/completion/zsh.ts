import type { Place, Suggestion } from './places.ts';

export function zshScript(places: Place[]): string {
  const paths = places.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(' ')}"`);
  const withValue = places.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ word }) => `"${path.join(' ')} ${word}"`),
  );
  const cases = places.flatMap(({ path, words, options }) => [
    `    "${path.join(' ')}") suggestions=(${[...words, ...options].map(describe).join(' ')}) ;;`,
    ...options
      .filter(({ choices }) => choices)
      .map(({ word, choices }) => `    "${path.join(' ')} ${word}") suggestions=(${choices?.join(' ')}) ;;`),
  ]);
  return `#compdef tramontane
# Completion of tramontane for zsh.
_tramontane() {
  local place="" word
  local -a suggestions
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      ${paths.join(' | ')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $words[CURRENT-1]" in
    ${withValue.join(' | ')}) place="$place $words[CURRENT-1]" ;;
  esac
  case "$place" in
${cases.join('\n')}
  esac
  _describe tramontane suggestions || _files
}
if [[ "\${funcstack[1]}" == _tramontane ]]; then
  _tramontane "$@"
else
  compdef _tramontane tramontane
fi`;
}

// _describe splits at the first colon that no backslash precedes.
function describe({ word, summary }: Suggestion): string {
  const text = summary ? `${word}:${summary.replaceAll(':', '\\:')}` : word;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
