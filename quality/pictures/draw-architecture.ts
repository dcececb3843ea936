import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The console's colours. */
const THEMES = {
  light: {
    text: '#15222b',
    muted: '#50606b',
    line: '#7b8a93',
    box: '#ffffff',
    core: '#f2f6f7',
    accent: '#0d5f6b',
    soft: '#e0f0f2',
    onSoft: '#0a4c56',
  },
  dark: {
    text: '#e7edf0',
    muted: '#a3b2bb',
    line: '#6c7d87',
    box: '#1d262b',
    core: '#161d21',
    accent: '#67c6d2',
    soft: '#12353b',
    onSoft: '#a5e0e7',
  },
};
type Theme = (typeof THEMES)['light'];

const WIDTH = 960;
const HEIGHT = 500;
const CORE = { x: 236, y: 20, width: 488, height: 362 };
const SIDE = { width: 168, height: 56 };

const CLIENTS = [
  ['Official Mistral SDKs', 'TypeScript and Python'],
  ['Web console', 'any browser'],
  ['MCP clients', 'Claude, Cursor, VS Code'],
  ['Command line', 'and any HTTP client'],
];
const OUTSIDE = [
  ['Model servers', 'vLLM, Ollama, hosted APIs'],
  ['MCP servers', 'tools for your agents'],
  ['Workflow workers', 'TypeScript and Python'],
  ['Temporal', 'instead of our engine'],
];
const LAYERS: [title: string, parts: string][] = [
  ['Gateway', 'keys · roles · rate limits · budgets · audit log'],
  ['Models', 'chat · embeddings · documents · speech · moderation'],
  ['Registries', 'prompts · skills · agents, versioned, with aliases'],
  ['Durable work', 'conversations · workflows · schedules · batch jobs'],
];
const ENGINES = ['llama.cpp', 'ONNX', 'OCR', 'voices', 'sandbox'];

/** Writes the drawing of the README in both themes. */
export async function drawArchitecture(folder: string): Promise<void> {
  for (const [name, theme] of Object.entries(THEMES))
    await writeFile(join(folder, `architecture-${name}.svg`), draw(theme));
}

function draw(theme: Theme): string {
  const font = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif';
  const parts = [
    box(CORE.x, CORE.y, CORE.width, CORE.height, theme.core, theme.accent, 14),
    text(CORE.x + 24, CORE.y + 34, 'Tramontane', theme.text, 18, 650),
    text(CORE.x + CORE.width - 24, CORE.y + 34, 'one process, one port', theme.muted, 13, 400, 'end'),
    ...LAYERS.flatMap(([title, what], at) => layer(theme, at, title, what)),
    text(CORE.x + 24, CORE.y + 312, 'Engines, each in a process of its own', theme.muted, 12),
    ...ENGINES.flatMap((name, at) => engine(theme, at, name)),
    ...CLIENTS.flatMap(([title = '', what = ''], at) => side(theme, 20, at, title, what)),
    ...OUTSIDE.flatMap(([title = '', what = ''], at) => side(theme, WIDTH - 20 - SIDE.width, at, title, what)),
    ...CLIENTS.map((_, at) => arrow(theme, 20 + SIDE.width, sideY(at), CORE.x, sideY(at))),
    ...OUTSIDE.map(([name], at) => {
      const ends: [number, number] = [CORE.x + CORE.width, WIDTH - 20 - SIDE.width];
      // Workers fetch their work: they call, and are not called.
      const [from, to] = name === 'Workflow workers' ? ends.toReversed() : ends;
      return arrow(theme, from ?? 0, sideY(at), to ?? 0, sideY(at), name === 'Temporal');
    }),
    arrow(theme, 364, CORE.y + CORE.height, 364, 424),
    arrow(theme, 596, CORE.y + CORE.height, 596, 424),
    ...store(theme, 260, 'SQLite file', 'or PostgreSQL, shared by servers'),
    ...store(theme, 492, 'Files', 'uploads and weights, by hash'),
  ];
  const label =
    'Clients on the left call one process; it keeps data in a database and files, and calls model servers, tools and workers on the right.';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="${font}">
<title>Architecture of Tramontane</title><desc>${label}</desc>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="${theme.line}"/></marker></defs>
${parts.join('\n')}
</svg>
`;
}

const sideY = (at: number) => CORE.y + 52 + at * 86;

function layer(theme: Theme, at: number, title: string, what: string): string[] {
  const y = CORE.y + 54 + at * 60;
  return [
    box(CORE.x + 20, y, CORE.width - 40, 50, theme.box, theme.line, 8, 0.6),
    text(CORE.x + 36, y + 30, title, theme.text, 14, 620),
    text(CORE.x + 140, y + 30, what, theme.muted, 13),
  ];
}

function engine(theme: Theme, at: number, name: string): string[] {
  const width = 82;
  const x = CORE.x + 20 + at * (width + 9.5);
  return [
    box(x, CORE.y + 322, width, 28, theme.soft, 'none', 14),
    text(x + width / 2, CORE.y + 340.5, name, theme.onSoft, 12.5, 500, 'middle'),
  ];
}

function side(theme: Theme, x: number, at: number, title: string, what: string): string[] {
  const y = sideY(at) - SIDE.height / 2;
  const dashed = title === 'Temporal' ? ' stroke-dasharray="5 4"' : '';
  return [
    box(x, y, SIDE.width, SIDE.height, theme.box, theme.line, 8, 1, dashed),
    text(x + SIDE.width / 2, y + 25, title, theme.text, 14, 620, 'middle'),
    text(x + SIDE.width / 2, y + 43, what, theme.muted, 12, 400, 'middle'),
  ];
}

function store(theme: Theme, x: number, title: string, what: string): string[] {
  return [
    box(x, 428, 208, 56, theme.box, theme.line, 8),
    text(x + 104, 453, title, theme.text, 14, 620, 'middle'),
    text(x + 104, 471, what, theme.muted, 12, 400, 'middle'),
  ];
}

function box(
  x: number,
  y: number,
  width: number,
  height: number,
  fill: string,
  stroke: string,
  radius: number,
  strokeWidth = 1,
  more = '',
): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}" stroke="${stroke}" stroke-width="${strokeWidth}"${more}/>`;
}

function text(x: number, y: number, words: string, fill: string, size: number, weight = 400, anchor = 'start'): string {
  return `<text x="${x}" y="${y}" fill="${fill}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}">${words}</text>`;
}

function arrow(theme: Theme, x1: number, y1: number, x2: number, y2: number, isDashed = false): string {
  const dashed = isDashed ? ' stroke-dasharray="5 4"' : '';
  const way = Math.sign(x2 - x1);
  return `<line x1="${x1 + 4 * way}" y1="${y1}" x2="${x2 - 3 * way}" y2="${y2}" stroke="${theme.line}" stroke-width="1.4"${dashed} marker-end="url(#end)"/>`;
}
