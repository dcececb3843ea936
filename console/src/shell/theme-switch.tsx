import { useState } from 'react';
import { applyTheme, readTheme, type Theme } from '../theme.ts';
import { Segments } from '../ui/segments.tsx';

const options: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  return <Segments full label="Theme" options={options} value={theme} onChange={choose} />;
}
