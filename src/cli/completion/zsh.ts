import { type Completion, listCasePatterns, type Suggestion } from './list-completions.ts';

export function zshScript(completions: Completion[]): string {
  const { paths, valueOptions } = listCasePatterns(completions);
  const cases = completions.flatMap(({ path, words, options }) => [
    `    "${path.join(' ')}") suggestions=(${[...words, ...options].map(describe).join(' ')}) ;;`,
    ...options
      .filter(({ choices }) => choices)
      .map(({ word, choices }) => `    "${path.join(' ')} ${word}") suggestions=(${choices?.join(' ')}) ;;`),
  ]);
  return `#compdef tramontane
# Completion of tramontane for zsh.
_tramontane() {
  local typed="" word
  local -a suggestions
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${typed:+$typed }$word" in
      ${paths}) typed="\${typed:+$typed }$word" ;;
    esac
  done
  case "$typed $words[CURRENT-1]" in
    ${valueOptions}) typed="$typed $words[CURRENT-1]" ;;
  esac
  case "$typed" in
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

// _describe splits at the first unescaped colon.
function describe({ word, summary }: Suggestion): string {
  const text = summary ? `${word}:${summary.replaceAll(':', '\\:')}` : word;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
