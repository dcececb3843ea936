import { resolve } from 'node:path';
import { buildPackage } from './build-package.ts';
import { ROOT } from './layout.ts';

/** `npm run build [-- folder]`: writes the files of the package, into `dist` if no other folder is named. */
const dist = resolve(ROOT, process.argv[2] ?? 'dist');
const startedAt = performance.now();
const { files, inside, pages } = await buildPackage(dist);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${dist}: ${files} files, with code of ${inside} packages and ${pages}, in ${seconds} s`);
