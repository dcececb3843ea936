import { describe, expect, it } from 'vitest';
import { findStyleProblems } from './check-styles.ts';
import { readSources } from './read-sources.ts';

const sample = new Map([
  ['console/src/styles/tokens.css', ':root {\n  --space: 4px;\n}\n'],
  ['console/src/styles/base.css', '.row {\n  display: flex;\n}\n'],
  ['console/src/ui/card.module.css', '.card > :global(.row) {\n  gap: 1.5px;\n}\n\n.wide {\n  width: 1px;\n}\n'],
  [
    'console/src/ui/card.tsx',
    `import styles from './card.module.css';\n<div className={\`\${styles.card} row \${x === 'a' ? styles.wide : ''}\`} />;\n<p className="row" />`,
  ],
]);
const withFile = (path: string, text: string) => new Map([...sample, [path, text]]);

describe('the styles of the console', () => {
  it('have classes that exist and are used, and few that are global', () => {
    expect(findStyleProblems(readSources(new URL('../..', import.meta.url).pathname))).toEqual([]);
  });

  it('pass where all rules hold', () => {
    expect(findStyleProblems(sample)).toEqual([]);
  });

  const importCard = "import styles from './card.module.css';\n";
  it.each([
    ['a class that no CSS has', 'console/src/ui/b.tsx', '<p className="row gone" />', 'has the class gone'],
    ['one in a condition', 'console/src/ui/b.tsx', "<p className={x ? 'gone' : 'row'} />", 'has the class gone'],
    [
      'one in a template',
      'console/src/ui/b.tsx',
      `<p className={\`row \${x ? 'gone' : ''}\`} />`,
      'has the class gone',
    ],
    ['a name that a module lacks', 'console/src/ui/b.tsx', `${importCard}<p className={styles.gone} />`, 'uses gone'],
    ['a module that is not there', 'console/src/pages/b.tsx', importCard, 'which does not exist'],
    ['a class that nobody uses', 'console/src/ui/b.module.css', '.b {\n  top: 0;\n}\n', 'has .b, which nobody uses'],
    ['another global file', 'console/src/pages/b.css', '.b {\n  top: 0;\n}\n', 'is global: name it'],
    ['global CSS that grows', 'console/src/styles/base.css', '.row {\n}\n'.repeat(200), 'at most'],
  ])('report %s', (_, path, text, problem) => {
    const problems = findStyleProblems(withFile(path, text));
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});
