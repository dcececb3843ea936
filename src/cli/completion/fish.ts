import type { Completion } from './list-completions.ts';

export function fishScript(completions: Completion[]): string {
  const lines = completions.flatMap(({ path, words, options }) => {
    const start = `complete -c tramontane -n ${quote(conditionOf({ path, words }))}`;
    return [
      ...words.map(({ word, summary }) => `${start} -f -a ${quote(word)}${summary ? ` -d ${quote(summary)}` : ''}`),
      ...options.map(({ word, summary, takesValue, choices }) => {
        const value = choices ? ` -x -a ${quote(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `${start} -l ${word.slice(2)}${value} -d ${quote(summary)}`;
      }),
    ];
  });
  return ['# Completion of tramontane for fish.', ...lines].join('\n');
}

function conditionOf({ path, words }: Pick<Completion, 'path' | 'words'>): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  // Once one of the words is typed, the entry of the longer path applies.
  if (words.length > 0) seen.push(`not __fish_seen_subcommand_from ${words.map(({ word }) => word).join(' ')}`);
  return seen.join('; and ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
