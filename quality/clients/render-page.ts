import { fileURLToPath } from 'node:url';
import { type Client, type Feature, features, languageOf } from './read-clients.ts';

export const pagePath = fileURLToPath(new URL('../../docs/clients.md', import.meta.url));

const INTRO = `# Clients

Programs and libraries that were written for the hosted platform, for the APIs of OpenAI or Anthropic, or for the Model Context
Protocol, and that work with this server as they are. Give them the server's address and a key:

\`\`\`sh
export TRAMONTANE_URL=http://127.0.0.1:4747 TRAMONTANE_API_KEY=…
\`\`\`

Model names that a client has built in [stand for a model here](models.md#public-names); the snippets say \`mistral-small-latest\`.
The page is written by \`npm run clients\`, which installs each client in the version below and runs its program, of which the
snippet is the beginning, against a started server; the model is scripted, everything else is real. A ✓ is a check that passed: the
program printed what it should, and the server refused none of its requests. What is empty, the client does not offer or the
program does not try.
`;

const HEADS: Record<Feature, string> = {
  chat: 'Chat',
  stream: 'Stream',
  tools: 'Tools',
  structured: 'Structured',
  embeddings: 'Embeddings',
  fim: 'FIM',
  ocr: 'OCR',
  agents: 'Agents',
  transcription: 'Transcription',
  live: 'Live audio',
  files: 'Files',
  responses: 'Responses',
  batches: 'Batches',
  mcp: 'MCP',
  connectors: 'Connectors',
  telemetry: 'Telemetry',
};

const INSTALL = {
  pip: (packages: string[]) =>
    `pip install ${packages.map((name) => (name.includes('[') ? `"${name}"` : name)).join(' ')}`,
  npm: (packages: string[]) => `npm install ${packages.join(' ')}`,
  maven: (packages: string[]) => packages.map((name) => `# Maven: ${name}`).join('\n'),
};

export function renderPage(clients: readonly Client[]): string {
  const columns = Object.keys(features) as Feature[];
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const sorted = clients.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  const table = [
    row(['Client', 'Version', ...columns.map((column) => HEADS[column])]),
    row(['---', '---', ...columns.map(() => '---')]),
    ...sorted.map((client) =>
      row([
        `[${client.title}](#${anchorOf(client.title)})`,
        versionOf(client),
        ...columns.map((column) => (client.checks.includes(column) ? '✓' : '')),
      ]),
    ),
  ];
  return [INTRO, table.join('\n'), '', ...sorted.map(renderClient)].join('\n');
}

function renderClient(client: Client): string {
  const { title, installer, packages, snippet, note } = client;
  const install = `\`\`\`sh\n${INSTALL[installer](packages)}\n\`\`\``;
  return `## ${title}\n\n${note ? `${note}\n\n` : ''}${install}\n\n\`\`\`${languageOf(client)}\n${snippet}\n\`\`\`\n`;
}

/** Of the first package, which is the client. */
function versionOf({ packages: [first = ''] }: Client): string {
  return first.split(/==|:(?=\d)|(?<=.)@/).at(-1) ?? '';
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
