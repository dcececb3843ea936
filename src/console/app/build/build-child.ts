import { argv } from 'node:process';
import { build, type Plugin } from 'vite';
import { compressFiles } from './compress-files.ts';

/** Sent to the parent process. */
export type BuildProgress = { modules: number; phase: 'reading' | 'writing' | 'compressing' };

const REPORT_EVERY_MODULES = 50;
const [, , sources = '', target = ''] = argv;
let modules = 0;
const report = (phase: BuildProgress['phase']) => process.send?.({ modules, phase } satisfies BuildProgress);

const counting: Plugin = {
  name: 'count-modules',
  transform() {
    modules++;
    if (modules % REPORT_EVERY_MODULES === 0) report('reading');
    return null;
  },
  renderStart: () => void report('writing'),
};

// The native loader writes no file next to the configuration, whose directory may be read-only.
await build({
  root: sources,
  configFile: `${sources}/vite.config.ts`,
  configLoader: 'native',
  logLevel: 'warn',
  plugins: [counting],
  build: { outDir: target, emptyOutDir: true },
});
report('compressing');
await compressFiles(target);
process.disconnect?.();
