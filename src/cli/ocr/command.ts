import type { Command } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

const TABLE_FORMATS = ['markdown', 'html'];

export const ocr: Command = {
  name: 'ocr',
  summary: 'convert a PDF or an image to Markdown; the server must be running',
  parameters: [{ name: 'file', summary: 'a PDF, PNG, JPEG, WebP or TIFF' }],
  options: {
    pages: { summary: 'only these pages, starting at 0, such as 0-2,5', value: '<pages>' },
    out: { summary: 'write to this file instead of stdout', value: '<file>', short: 'o' },
    images: { summary: 'a directory to save the images in', value: '<dir>' },
    tables: { summary: 'markdown or html (default: markdown)', value: '<format>', choices: TABLE_FORMATS },
    model: { summary: 'its id or alias (default: the first OCR model)', value: '<id>' },
    ...SERVER,
  },
  examples: ['ocr invoice.pdf', 'ocr book.pdf --pages 0-9 -o book.md --images pictures', 'ocr scan.png --json'],
  run: async (context) => (await import('./run.ts')).ocr(context),
};
