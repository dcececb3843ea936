import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, Package } from './find-packages.ts';

const LICENCE_FILE = /^(licen[cs]e|copying|notice|third[-_ ]?party)/i;
const RULE = '-'.repeat(100);

/** The licence of every package that is in an archive, with its text; `inside` is about those in the program's own files. */
export function writeNotices(packages: Package[], root: string, inside: string): string {
  const seen = new Map<string, string>();
  const parts = packages.map((one) => {
    const { name, version } = one.manifest;
    const source = sourceOf(one.manifest);
    const head = [
      `${name} ${version}`,
      `Licence: ${licenceOf(one.manifest)}`,
      ...(source ? [`Source: ${source}`] : []),
    ];
    const texts = licenceTexts(join(root, one.dir)).map((text) => {
      const same = seen.get(text);
      if (same) return `The text is the same as that of ${same} above.`;
      seen.set(text, name);
      return text;
    });
    return [RULE, ...head, '', ...texts].join('\n');
  });
  return [
    'Third-party notices of Tramontane',
    '',
    'Tramontane is licensed under the Apache License 2.0 (LICENSE, NOTICE). This archive also has the packages below, each',
    'under its own licence. They are unchanged, but for files that no program reads. eSpeak NG (GPL-3.0) runs in a process of',
    'its own and libvips (LGPL-3.0-or-later) is a library of its own: both can be removed or replaced. The source code of every',
    'package is published in the npm registry under the name and version given here, and in the repository named as its source.',
    '',
    ...parts,
    RULE,
    inside,
  ].join('\n');
}

export function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'see its source';
}

function sourceOf({ repository }: Manifest): string | undefined {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}

function licenceTexts(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map(({ name }) => readFileSync(join(dir, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .sort();
}
