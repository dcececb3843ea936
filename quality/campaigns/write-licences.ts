import { writeFileSync } from 'node:fs';
import { renderLicences } from './licences.ts';

writeFileSync(new URL('../../docs/licences.md', import.meta.url), renderLicences());
