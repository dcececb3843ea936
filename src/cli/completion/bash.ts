import { type Completion, listCasePatterns } from './list-completions.ts';

export function bashScript(completions: Completion[]): string {
  const { paths, valueOptions } = listCasePatterns(completions);
  const cases = completions.flatMap(({ path, words, options }) => [
    `    "${path.join(' ')}") words="${[...words, ...options].map(({ word }) => word).join(' ')}" ;;`,
    ...options
      .filter(({ choices }) => choices)
      .map(({ word, choices }) => `    "${path.join(' ')} ${word}") words="${choices?.join(' ')}" ;;`),
  ]);
  // After an option with a value come its choices; without choices, bash offers file names.
  return `# Completion of tramontane for bash.
_tramontane() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" typed="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${typed:+$typed }$word" in
      ${paths}) typed="\${typed:+$typed }$word" ;;
    esac
  done
  case "$typed $previous" in
    ${valueOptions}) typed="$typed $previous" ;;
  esac
  case "$typed" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tramontane tramontane`;
}
