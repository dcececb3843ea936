import { useSyncExternalStore } from 'react';
import { applyTheme, readTheme, type Theme } from '../theme.ts';
import { Segments } from './segments.tsx';

const options: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function subscribe(listener: () => void): () => void {
  window.addEventListener('tramontane:theme', listener);
  return () => window.removeEventListener('tramontane:theme', listener);
}

/** All of them show the same choice. */
export function ThemeSwitch({ label = 'Theme', full = false }: { label?: string; full?: boolean }) {
  const theme = useSyncExternalStore(subscribe, readTheme);
  return <Segments full={full} label={label} options={options} value={theme} onChange={applyTheme} />;
}
