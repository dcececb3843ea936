import type { Place } from './places.ts';

export function bashScript(places: Place[]): string {
  const paths = places.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(' ')}"`);
  const cases = places.flatMap(({ path, words, options }) => [
    `    "${path.join(' ')}") words="${[...words, ...options].map(({ word }) => word).join(' ')}" ;;`,
    ...options
      .filter(({ choices }) => choices)
      .map(({ word, choices }) => `    "${path.join(' ')} ${word}") words="${choices?.join(' ')}" ;;`),
  ]);
  return `# Completion of tramontane for bash.
_tramontane() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" place="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
      ${paths.join(' | ')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $previous" in
    ${optionsWithValue(places).join(' | ') || '""'}) place="$place $previous" ;;
  esac
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tramontane tramontane`;
}

// After an option that takes a value, its choices come next; where it has none, bash offers file names.
function optionsWithValue(places: Place[]): string[] {
  return places.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ word }) => `"${path.join(' ')} ${word}"`),
  );
}
