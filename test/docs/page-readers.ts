import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerVectors } from '../../src/classifiers/classifiers-for-tests.ts';
import { makeTone, makeWav } from '../../src/engines/transcribe/sounds-for-tests.ts';
import { testModelsDir, transcriptionWeightsForTests } from '../../src/engines/weights/weights-for-tests.ts';
import { startFakeMcp } from '../support/mcp-server.ts';
import { json, startUpstream } from '../support/upstream.ts';
import { root } from './read-markdown.ts';

/** What a page takes for granted: settings of the server, files of the reader, and values that the reader copies. */
export type Reader = {
  /** Keys of the configuration file beside the model. */
  file?: () => Promise<Record<string, unknown>>;
  prepare?: (folder: string) => void;
  /** Variables that the reader has set. */
  env?: Record<string, string>;
  /** A variable that the reader sets to what an earlier block printed. */
  copies?: Record<string, RegExp>;
  /** What the workspace has already: requests that created it. */
  has?: [path: string, body: object][];
  /** A worker that runs the workflows of this folder. */
  works?: string;
  /** The reader stops the server before a block that begins so. */
  stopsBefore?: string;
};

const GREET = `import { defineWorkflow } from '@tramontane/workflows';
import { z } from 'zod';
export const greet = defineWorkflow('greet', { input: z.object({ name: z.string() }) }, async (_, { name }) => 'Hello, ' + name);
`;

function writeSkill(folder: string, place: string): void {
  const skill = join(folder, place, 'tides');
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: tides\ndescription: When the sea comes\n---\nLook it up.\n');
}

const WAV_HEADER_BYTES = 44;

/** What a recording is called does not matter: its type is detected from the content. */
function writeRecordings(folder: string): void {
  const wav = makeWav(makeTone(1));
  writeFileSync(join(folder, 'interview.mp3'), wav);
  writeFileSync(join(folder, 'talk.pcm'), wav.subarray(WAV_HEADER_BYTES));
  // The weights that this machine has already.
  mkdirSync(join(folder, 'data'));
  symlinkSync(testModelsDir, join(folder, 'data/models'));
}

const hearing: Reader = {
  async file() {
    await transcriptionWeightsForTests();
    return { extraModels: [{ id: 'whisper-base', engine: 'whisper', weights: 'whisper-tiny' }] };
  },
  prepare: writeRecordings,
};

async function embedding(): Promise<Record<string, unknown>> {
  const embedder = await startUpstream();
  embedder.answerWith(answerVectors);
  return {
    extraModels: [{ id: 'vectors', engine: 'upstream', url: embedder.url, kind: 'embeddings' }],
    search: { embedding_model: 'vectors' },
  };
}

export const readers: Record<string, Reader> = {
  'docs/administration.md': {
    copies: {
      TRAMONTANE_ADMIN_KEY: /^(\S{40,})$/m,
      INVITATION: /"invite_links":\[?\{?"[^}]*\/([\w.-]{20,})"/,
    },
  },
  'docs/classifiers.md': {
    file: embedding,
    prepare: (folder) => copyFileSync(join(root, 'examples/support-topics.jsonl'), join(folder, 'labels.jsonl')),
  },
  'docs/connectors.md': {
    async file() {
      const wiki = await startFakeMcp([{ name: 'search_pages' }, { name: 'edit_page' }, { name: 'delete_page' }]);
      return { connectors: [{ id: 'wiki', url: wiki.url }] };
    },
  },
  'docs/live-audio.md': hearing,
  'docs/models.md': { env: { OPENAI_API_KEY: 'a key' } },
  'docs/moderation.md': {
    async file() {
      const judge = await startUpstream();
      judge.answerWith((call, response) =>
        json(response, 200, {
          id: 'mod-1',
          model: 'judge',
          results: [call.body.input].flat().map(() => ({ categories: { pii: false }, category_scores: { pii: 0.1 } })),
        }),
      );
      return { extraModels: [{ id: 'judge', engine: 'upstream', url: judge.url, kind: 'moderation' }] };
    },
  },
  'docs/ocr.md': { prepare: (folder) => copyFileSync(join(root, 'examples/invoice.pdf'), join(folder, 'report.pdf')) },
  'docs/operations.md': { stopsBefore: 'npx tramontane restore /backups/monday --force' },
  'docs/search.md': { file: embedding },
  'docs/skills.md': { prepare: (folder) => writeSkill(folder, '.claude/skills') },
  'docs/transcription.md': hearing,
  'docs/workflows-api.md': {
    prepare(folder) {
      mkdirSync(join(folder, 'workflows'));
      writeFileSync(join(folder, 'workflows/greet.ts'), GREET);
    },
    works: 'workflows',
  },
  'docs/workspace-folder.md': {
    prepare: (folder) => writeSkill(folder, '.claude/skills'),
    has: [['/v2/prompts', { name: 'greeting', definition: { content: 'Greet {{customer}}.' } }]],
  },
};
