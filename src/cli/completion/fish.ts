import type { Place } from './places.ts';

export function fishScript(places: Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const condition = conditionOf(
      path,
      words.map(({ word }) => word),
    );
    const begin = `complete -c tramontane -n ${quote(condition)}`;
    return [
      ...words.map(({ word, summary }) => `${begin} -f -a ${quote(word)}${summary ? ` -d ${quote(summary)}` : ''}`),
      ...options.map(({ word, summary, takesValue, choices }) => {
        const value = choices ? ` -x -a ${quote(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `${begin} -l ${word.slice(2)}${value} -d ${quote(summary)}`;
      }),
    ];
  });
  return ['# Completion of tramontane for fish.', ...lines].join('\n');
}

function conditionOf(path: string[], words: string[]): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  // Once one of the words is there, the next place has its own line.
  const notYet = words.length > 0 ? [`not __fish_seen_subcommand_from ${words.join(' ')}`] : [];
  return [...seen, ...notYet].join('; and ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
