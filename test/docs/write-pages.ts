import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPaths } from './architecture-page.ts';
import { withErrorCodes } from './error-codes.ts';
import { withKinds } from './kinds-page.ts';
import { readText, root } from './read-markdown.ts';

// `npm run docs`: writes the generated parts of pages.
writeFileSync(join(root, 'ARCHITECTURE.md'), withPaths(readText('ARCHITECTURE.md')));
writeFileSync(join(root, 'docs/errors.md'), withErrorCodes(readText('docs/errors.md')));
writeFileSync(join(root, 'test/README.md'), withKinds(readText('test/README.md')));
