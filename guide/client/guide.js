// Runs in the head, before the body is drawn: the theme must not flash. A classic script, so that a folder works too.
(() => {
  const root = document.documentElement;
  const own = document.currentScript;
  /** The console's key: both follow one choice. */
  const THEME = 'tramontane.theme';
  const THEMES = ['system', 'light', 'dark'];
  const RESULTS_MAX = 20;
  const EXCERPT_CHARACTERS = 160;

  root.dataset.script = '';
  applyTheme(readTheme());
  document.addEventListener('DOMContentLoaded', () => {
    applyTheme(readTheme());
    prepareTheme();
    prepareMenu();
    prepareCopying();
    prepareOutline();
    prepareSearch();
  });

  function readTheme() {
    try {
      const stored = localStorage.getItem(THEME);
      return THEMES.includes(stored) ? stored : 'system';
    } catch {
      return 'system';
    }
  }

  function applyTheme(theme) {
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    // Pictures come in two themes and follow the system, unless one was chosen here.
    for (const source of document.querySelectorAll('picture source')) {
      source.dataset.media ??= source.media;
      const isDark = source.dataset.media.includes('dark');
      source.media = theme === 'system' ? source.dataset.media : (theme === 'dark') === isDark ? 'all' : 'not all';
    }
  }

  function prepareTheme() {
    const button = document.querySelector('.theme');
    const show = (theme) => button.setAttribute('aria-label', `Theme: ${theme}`);
    show(readTheme());
    button.addEventListener('click', () => {
      const next = THEMES[(THEMES.indexOf(readTheme()) + 1) % THEMES.length];
      try {
        if (next === 'system') localStorage.removeItem(THEME);
        else localStorage.setItem(THEME, next);
      } catch {
        // Without storage the choice lasts for this page.
      }
      applyTheme(next);
      show(next);
    });
  }

  function prepareMenu() {
    const button = document.querySelector('.menu');
    const pages = document.querySelector('.pages');
    const open = (isOpen) => {
      pages.toggleAttribute('data-open', isOpen);
      button.setAttribute('aria-expanded', String(isOpen));
    };
    button.addEventListener('click', () => open(!pages.hasAttribute('data-open')));
    document.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || !pages.hasAttribute('data-open')) return;
      open(false);
      button.focus();
    });
    const current = pages.querySelector('[aria-current]');
    if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
  }

  function prepareCopying() {
    if (!navigator.clipboard) return;
    for (const box of document.querySelectorAll('.code')) {
      const button = Object.assign(document.createElement('button'), { type: 'button', className: 'copy' });
      button.textContent = 'Copy';
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(box.querySelector('code').textContent);
        button.textContent = 'Copied';
        button.dataset.done = '';
        setTimeout(() => {
          button.textContent = 'Copy';
          delete button.dataset.done;
        }, 1500);
      });
      box.append(button);
    }
  }

  /** Marks the section that is read in the list at the side. */
  function prepareOutline() {
    const links = new Map([...document.querySelectorAll('.outline a')].map((link) => [link.hash.slice(1), link]));
    if (links.size === 0) return;
    const headings = [...document.querySelectorAll('.prose :is(h2, h3)')].filter(({ id }) => links.has(id));
    const mark = () => {
      const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 140) ?? headings[0];
      for (const [id, link] of links)
        if (id === read.id) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
    };
    document.addEventListener('scroll', mark, { passive: true });
    mark();
  }

  function prepareSearch() {
    const input = document.querySelector('#query');
    const found = document.querySelector('#found');
    const load = once(() => loadScript(own.dataset.search).then(() => readSections(globalThis.guidePages)));
    const close = () => {
      found.hidden = true;
    };
    const search = async () => {
      const query = input.value;
      if (query.trim() === '') return close();
      const sections = await load();
      if (query !== input.value) return;
      show(found, find(sections, query), words(query));
    };
    input.addEventListener('focus', () => void load());
    input.addEventListener('input', () => void search());
    input.addEventListener('focus', () => void search());
    document.addEventListener('click', ({ target }) => {
      if (!target.closest('.search')) close();
    });
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target.closest('input, textarea, select');
      if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        input.select();
      }
      if (!event.target.closest('.search')) return;
      if (event.key === 'Escape') {
        close();
        input.focus();
      }
      const links = [...found.querySelectorAll('a')];
      const at = links.indexOf(document.activeElement);
      if (event.key === 'Enter' && at < 0 && !found.hidden) links[0]?.click();
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      (links[at + (event.key === 'ArrowDown' ? 1 : -1)] ?? input).focus();
    });
  }

  function once(make) {
    let made;
    return () => (made ??= make());
  }

  function loadScript(src) {
    return new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement('script'), { src, onload: resolve, onerror: reject });
      document.head.append(script);
    });
  }

  function readSections(pages) {
    return pages.flatMap(([path, title, sections]) =>
      sections.map(([id, heading, text]) => ({
        href: `${own.dataset.root}${path}${id ? `#${id}` : ''}`,
        title,
        heading: id ? heading : '',
        text,
        inTitle: title.toLowerCase(),
        inHeading: heading.toLowerCase(),
        inText: text.toLowerCase(),
      })),
    );
  }

  function words(query) {
    return query.toLowerCase().split(/\s+/).filter(Boolean);
  }

  /** The sections that hold every word, best first: words of titles and headings count most. */
  function find(sections, query) {
    const wanted = words(query);
    return sections
      .map((section) => ({ section, score: wanted.reduce((sum, word) => sum + scoreOf(section, word), 0) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ section }) => section);
  }

  function scoreOf({ inTitle, inHeading, inText, heading }, word) {
    const title = begins(inTitle, word) ? (heading ? 4 : 12) : 0;
    const above = begins(inHeading, word) ? 8 : inHeading.includes(word) ? 4 : 0;
    const below = begins(inText, word) ? 2 : inText.includes(word) ? 1 : 0;
    return title + above + below || Number.NEGATIVE_INFINITY;
  }

  function begins(text, word) {
    const at = text.indexOf(word);
    return at >= 0 && (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]));
  }

  function show(box, results, wanted) {
    const status = document.createElement('p');
    status.setAttribute('role', 'status');
    const more = results.length > RESULTS_MAX ? `, the first ${RESULTS_MAX} are shown` : '';
    status.textContent = results.length === 0 ? 'Nothing found.' : `${results.length} found${more}`;
    const list = document.createElement('ol');
    for (const { href, title, heading, text } of results.slice(0, RESULTS_MAX)) {
      const link = Object.assign(document.createElement('a'), { href });
      const name = document.createElement('strong');
      name.append(...marked(heading && heading !== title ? `${title} › ${heading}` : title, wanted));
      const excerpt = document.createElement('small');
      excerpt.append(...marked(excerptOf(text, wanted), wanted));
      link.append(name, excerpt);
      link.addEventListener('click', () => {
        box.hidden = true;
      });
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    box.replaceChildren(status, ...(results.length > 0 ? [list] : []));
    box.hidden = false;
  }

  function excerptOf(text, wanted) {
    const lower = text.toLowerCase();
    const places = wanted.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
    const at = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - 50);
    const from = at === 0 ? 0 : text.indexOf(' ', at) + 1;
    const end = from + EXCERPT_CHARACTERS;
    return `${from > 0 ? '… ' : ''}${text.slice(from, end)}${end < text.length ? ' …' : ''}`;
  }

  /** The text as nodes, with the words marked. */
  function marked(text, wanted) {
    const escaped = wanted.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const parts = text.split(new RegExp(`(${escaped.join('|')})`, 'gi'));
    return parts.map((part, index) => {
      if (index % 2 === 0) return part;
      const mark = document.createElement('mark');
      mark.textContent = part;
      return mark;
    });
  }
})();
