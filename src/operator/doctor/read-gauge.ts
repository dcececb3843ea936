/** The values of a metric with its labels, from the text format of Prometheus. */
export function readGauge(metrics: string, name: string): { labels: Record<string, string>; value: number }[] {
  return metrics.split('\n').flatMap((line) => {
    const value = line.startsWith(`${name}{`) && /\} (\S+)$/.exec(line)?.[1];
    if (!value) return [];
    const labels = [...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [
      label,
      plain(text),
    ]);
    return [{ labels: Object.fromEntries(labels), value: Number(value) }];
  });
}

function plain(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
