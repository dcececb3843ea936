import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withErrorCodes } from './error-codes.ts';
import { readText, root } from './read-markdown.ts';

// `npm run docs`: writes the parts of pages that are made from the code.
writeFileSync(join(root, 'docs/errors.md'), withErrorCodes(readText('docs/errors.md')));
