/** The target of a benchmark: at least, at most or less than a value. No target: the figure only informs. */
type Target = { at: '≥' | '≤' | '<'; value: number };

export type Figure = {
  name: string;
  value: number;
  unit: string;
  target?: Target;
  /** Other processes used too much of the machine: the figure does not meet the target, whatever its value. */
  disturbed?: boolean;
  /** Other observations of the same run. */
  note?: string;
  /** What it was computed from; only `--json` prints it. */
  rows?: Record<string, string | number>[];
};

export type BenchmarkOptions = {
  /** Shorter rounds and smaller loads: shows whether the benchmark works, not whether the target is met. */
  quick: boolean;
  /** Where the server of `identity` writes its CPU profile, if anywhere. */
  profileDir?: string | undefined;
  progress: (text: string) => void;
  /** Called with the figures of each try: the table shows only the best. */
  tried?: (text: string) => void;
};

export type Benchmark = {
  name: string;
  summary: string;
  /** False where the machine lacks a prerequisite. */
  isPossible?(): boolean;
  run(options: BenchmarkOptions): Promise<Figure[]>;
};

export type Result = { name: string; summary: string; tries: number; figures: Figure[] };

// Worse than any measured figure.
const DISTURBED_DISTANCE = 1e6;

export function isMet({ value, target, disturbed = false }: Figure): boolean {
  if (!target) return true;
  if (disturbed) return false;
  switch (target.at) {
    case '≥':
      return value >= target.value;
    case '≤':
      return value <= target.value;
    case '<':
      return value < target.value;
  }
}

/** The first try that meets every target, or the best of several: other processes use the machine too. */
export async function runWithTries(benchmark: Benchmark, options: BenchmarkOptions, triesMax: number): Promise<Result> {
  let best: Figure[] | undefined;
  let tries = 0;
  while (tries < triesMax && (!best || distanceOf(best) > 0)) {
    tries++;
    const figures = await benchmark.run(options);
    const shown = figures.map(({ name, value, unit }) => `${name} ${formatValue(value)} ${unit}`);
    options.tried?.(`${benchmark.name}, try ${tries}: ${shown.join('; ')}`);
    if (!best || distanceOf(figures) < distanceOf(best)) best = figures;
  }
  return { name: benchmark.name, summary: benchmark.summary, tries, figures: best ?? [] };
}

export function formatValue(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
}

/** The sum by which the targets were missed; 0 when all were met. */
function distanceOf(figures: Figure[]): number {
  return figures
    .filter((figure) => !isMet(figure))
    .reduce((sum, { value, target, disturbed }) => {
      const ratio = Math.abs(Math.log(value / (target?.value ?? value)));
      return sum + (disturbed ? DISTURBED_DISTANCE : ratio) + Number.EPSILON;
    }, 0);
}
