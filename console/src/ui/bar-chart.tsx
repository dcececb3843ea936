import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import styles from './chart.module.css';
import { formatDate, formatMoment, formatNumber, formatShort } from './format.ts';

type Props = {
  /** A day, or the beginning of a shorter time, for each bar. */
  days: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
  unit: string;
  per?: 'minute' | 'hour' | 'day';
};

const height = 260;
const colours = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'];

/** Stacked bars per day. Pages show the same numbers in a table for screen readers. Load lazily. */
export default function BarChart({ days, series, unit, per = 'day' }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useThemeChange();
  const [at, setAt] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a theme change redraws the canvas.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const colour = (name: string) => resolveColour(element, style.getPropertyValue(name));
    const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
    const stacked = stack(series.map(({ values }) => values));
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: [-0.6, days.length - 0.4] },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        {
          stroke: colour('--text-muted'),
          grid: { show: false },
          ticks: { show: false },
          size: 30,
          values: (_, ticks) =>
            ticks.map((tick) => (Number.isInteger(tick) && days[tick] ? shortTime(days[tick], per) : '')),
        },
        {
          stroke: colour('--text-muted'),
          grid: { stroke: colour('--line'), width: 1 },
          ticks: { show: false },
          size: 56,
          values: (_, ticks) => ticks.map((tick) => formatShort(tick)),
        },
      ],
      series: [
        {},
        // Tallest first, so that shorter bars are drawn in front.
        ...stacked
          .map((_, index) => ({
            fill: colour(colours[index] ?? '--chart-6'),
            width: 0,
            ...(bars ? { paths: bars } : {}),
            points: { show: false },
          }))
          .reverse(),
      ],
      hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? undefined)] },
    };
    const chart = new uPlot(options, [days.map((_, index) => index), ...stacked.toReversed()], element);
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [days, series, theme, per]);
  const total = series.reduce((sum, { values }) => sum + values.reduce((one, value) => one + value, 0), 0);
  const pointed = at === undefined ? undefined : days[at];
  return (
    <figure className={styles.chart}>
      <div
        ref={box}
        role="img"
        aria-label={`${unit} per ${per}, ${formatNumber(total)} in total; the table below has the numbers.`}
      />
      <figcaption className={`${styles.legend} small`}>
        {series.map(({ name, values }, index) => (
          <span key={name} className="row">
            <span className={styles.swatch} style={{ background: `var(${colours[index] ?? '--chart-6'})` }} />
            {name}
            {at !== undefined && <strong className="numbers">{formatNumber(values[at] ?? 0)}</strong>}
          </span>
        ))}
        <span className="muted">{pointed ? (per === 'day' ? formatDate(pointed) : formatMoment(pointed)) : ''}</span>
      </figcaption>
    </figure>
  );
}

/** Cumulative sums for stacking. */
function stack(series: readonly (readonly number[])[]): number[][] {
  const sums: number[][] = [];
  for (const values of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return sums;
}

function shortTime(at: string, per: 'minute' | 'hour' | 'day'): string {
  if (per !== 'day') return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  return new Date(`${at.slice(0, 10)}T12:00:00Z`).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
}

/** A canvas cannot use light-dark(), so an element resolves the colour. */
function resolveColour(element: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function useThemeChange(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((now) => now + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', changed);
    window.addEventListener('tramontane:theme', changed);
    return () => {
      system.removeEventListener('change', changed);
      window.removeEventListener('tramontane:theme', changed);
    };
  }, []);
  return count;
}
