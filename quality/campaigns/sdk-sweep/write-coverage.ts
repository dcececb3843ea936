import { writeFileSync } from 'node:fs';
import { python } from '../../../test/support/python.ts';
import { PAGE, renderCoverage } from './coverage.ts';
import { compareFields, pythonTypes, typescriptTypes } from './fields.ts';
import { pythonSurface, typescriptSurface } from './surface.ts';

// node quality/campaigns/sdk-sweep/write-coverage.ts: rewrites the table of docs/sdk-coverage.md.
if (!python) throw new Error('This needs a Python with the official SDK: set TRAMONTANE_TEST_PYTHON.');
const compared = compareFields([...(await typescriptTypes()), ...(await pythonTypes(python))]);
writeFileSync(PAGE, renderCoverage(typescriptSurface(), pythonSurface(python), compared));
