export type Block = { language: string; code: string };

const RUN = new Set(['sh', 'bash', 'ts', 'python', 'yaml']);

/** The blocks of a page that a reader runs or copies into a file, in their order. */
export function readBlocks(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)]
    .map(([, indent = '', language = '', code = '']) => ({
      language,
      code: code.replaceAll(`\n${indent}`, '\n').trimStart(),
    }))
    .filter(({ language }) => RUN.has(language));
}
