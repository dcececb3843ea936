import { expect, it } from 'vitest';
import { nameProgram } from './name-program.ts';

it.each([
  ['/opt/tramontane-0.2.0-linux-x64/package.json', true, 'tramontane keys list'],
  ['/usr/local/lib/node_modules/tramontane/package.json', true, 'tramontane keys list'],
  ['C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\tramontane\\package.json', true, 'tramontane keys list'],
  ['/home/me/project/node_modules/tramontane/package.json', true, 'npx tramontane keys list'],
  ['/home/me/tramontane/package.json', false, 'npx tramontane keys list'],
])('messages of an installation in %s (installed: %s) say %s', (dir, isInstalled, said) => {
  expect(nameProgram('npx tramontane keys list', dir, isInstalled)).toBe(said);
});
