/** The values of a metric with its labels, from the text format of Prometheus. */
export function readGauge(metrics: string, name: string): { labels: Record<string, string>; value: number }[] {
  return metrics.split('\n').flatMap((line) => {
    const end = line.lastIndexOf('} ');
    if (!line.startsWith(`${name}{`) || end === -1) return [];
    const labels = [...line.matchAll(/\b(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [
      label,
      plain(text),
    ]);
    return [{ labels: Object.fromEntries(labels), value: Number(line.slice(end + 2)) }];
  });
}

function plain(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
