import { argv } from 'node:process';
import { build, type Plugin } from 'vite';
import { compressFiles } from './compress-files.ts';

/** How far the build is; the parent draws it. */
export type BuildNews = { modules: number; phase: 'reading' | 'writing' | 'compressing' };

const NEWS_MODULES = 50;
const [, , sources = '', target = ''] = argv;
let modules = 0;
const tell = (phase: BuildNews['phase']) => process.send?.({ modules, phase } satisfies BuildNews);

const counting: Plugin = {
  name: 'count-modules',
  transform() {
    modules++;
    if (modules % NEWS_MODULES === 0) tell('reading');
    return null;
  },
  renderStart: () => void tell('writing'),
};

// The native loader writes nothing beside the configuration, which may be read-only.
await build({
  root: sources,
  configFile: `${sources}/vite.config.ts`,
  configLoader: 'native',
  logLevel: 'warn',
  plugins: [counting],
  build: { outDir: target, emptyOutDir: true },
});
tell('compressing');
await compressFiles(target);
process.disconnect?.();
