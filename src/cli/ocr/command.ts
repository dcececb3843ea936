import type { Command } from '../shell/command.ts';

const TABLE_FORMATS = ['markdown', 'html'];

export const ocr: Command = {
  name: 'ocr',
  summary: 'read a PDF or a picture and print it as Markdown; the server must be running',
  parameters: [{ name: 'file', summary: 'a PDF, PNG, JPEG, WebP or TIFF' }],
  options: {
    pages: { summary: 'only these, counted from 0: 0-2,5', value: '<pages>' },
    out: { summary: 'the file to write instead of printing', value: '<file>', short: 'o' },
    images: { summary: 'a directory to write the pictures to', value: '<dir>' },
    tables: {
      summary: `${TABLE_FORMATS.join(' or ')}; markdown if left out`,
      value: '<format>',
      choices: TABLE_FORMATS,
    },
    model: { summary: 'its id or alias; left out, the first that reads documents', value: '<id>' },
    url: { summary: 'where the server is, instead of TRAMONTANE_URL', value: '<url>' },
  },
  examples: ['ocr invoice.pdf', 'ocr book.pdf --pages 0-9 -o book.md --images pictures', 'ocr scan.png --json'],
  run: async (context) => (await import('./run.ts')).ocr(context),
};
