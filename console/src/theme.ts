/** Must run before React renders, so that no other theme flashes. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'tramontane.theme';

export function readTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(key, theme);
    document.documentElement.dataset.theme = theme;
  }
  window.dispatchEvent(new Event('tramontane:theme'));
}

applyTheme(readTheme());
