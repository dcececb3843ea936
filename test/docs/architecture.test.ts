import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findGaps, listFolders, readTree, readWalks, withPaths } from './architecture-page.ts';
import { readText, root } from './read-markdown.ts';

const page = readText('ARCHITECTURE.md');

describe('ARCHITECTURE.md', () => {
  it('shows every folder once', () => {
    const { top, src } = readTree(page);
    expect(top.toSorted()).toEqual(listFolders('').toSorted());
    expect(src.toSorted()).toEqual(['app.ts', 'main.ts', ...listFolders('src')].toSorted());
  });

  it('says which room serves which path', () => {
    expect(withPaths(page), 'run: npm run docs').toBe(page);
    expect(page).toContain('| `/v1/chat/completions` | `src/chat` |');
  });

  it('walks four requests through files that exist and lead to each other', () => {
    const walks = readWalks(page);
    expect(walks.map(({ title }) => title)).toEqual([
      'POST /v1/conversations',
      'POST /v1/chat/completions (stream)',
      'POST /v2/prompts/{id}/versions',
      'POST /v1/workflows/{id}/execute',
    ]);
    for (const walk of walks) {
      expect(walk.files.length, walk.title).toBeGreaterThan(3);
      expect(walk.files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
      expect(findGaps(walk), walk.title).toEqual([]);
    }
    const own = walks[0]?.files.filter((file) => file.startsWith('src/conversations/')) ?? [];
    expect(own.length).toBeLessThanOrEqual(12);
  });

  it('would be caught if a folder were missing or a walk jumped', () => {
    expect(readTree(page.replace('  chat/ ', '  chatter/ ')).src).toContain('chatter/');
    const jump = { title: '', files: ['src/app.ts', 'src/kit/tasks/store/claim.ts'] };
    expect(findGaps(jump)).toEqual(['src/kit/tasks/store/claim.ts']);
  });
});
