/** Contrast of two colours as WCAG 2.2 defines it, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export type Themes = { light: string; dark: string };

/** The colours of tokens.css that have one value for each theme. */
export function readColours(css: string): Map<string, Themes> {
  const found = css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g);
  return new Map([...found].map(([, name, light, dark]) => [name ?? '', { light: light ?? '', dark: dark ?? '' }]));
}

/** What is drawn on what, and the contrast it needs: 4.5 for text, 3 for the borders of controls and the focus ring. */
export const pairs: readonly (readonly [string, string, number])[] = [
  ['text', 'surface', 4.5],
  ['text', 'canvas', 4.5],
  ['text', 'sunken', 4.5],
  ['text', 'hover', 4.5],
  ['text', 'raised', 4.5],
  ['text-muted', 'surface', 4.5],
  ['text-muted', 'canvas', 4.5],
  ['text-muted', 'sunken', 4.5],
  ['text-muted', 'hover', 4.5],
  ['text-muted', 'raised', 4.5],
  ['accent', 'surface', 4.5],
  ['accent', 'canvas', 4.5],
  ['accent', 'hover', 4.5],
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-hover', 4.5],
  ['on-accent-soft', 'accent-soft', 4.5],
  ['danger', 'surface', 4.5],
  ['danger', 'raised', 4.5],
  ['on-danger', 'danger', 4.5],
  ['on-danger', 'danger-hover', 4.5],
  ['on-danger-soft', 'danger-soft', 4.5],
  ['warning', 'surface', 4.5],
  ['on-warning-soft', 'warning-soft', 4.5],
  ['success', 'surface', 4.5],
  ['on-success-soft', 'success-soft', 4.5],
  ['violet', 'surface', 4.5],
  ['on-violet-soft', 'violet-soft', 4.5],
  ['chart-1', 'surface', 3],
  ['chart-2', 'surface', 3],
  ['chart-3', 'surface', 3],
  ['chart-4', 'surface', 3],
  ['chart-5', 'surface', 3],
  ['chart-6', 'surface', 3],
  ['line-strong', 'surface', 3],
  ['line-strong', 'canvas', 3],
  ['line-strong', 'raised', 3],
];
