/** The first module that runs: the page is empty until React draws it, so no other theme is seen before. */
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
