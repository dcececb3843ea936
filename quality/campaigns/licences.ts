import { type LockedPackage, readLock } from './read-lock.ts';

/** Licences that allow shipping or building on a package without further review. */
const FREE = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Zlib',
];

/** Packages under other licences, each with the reason why its use is allowed. */
const CONSIDERED: { name: RegExp; licence: string; why: string }[] = [
  {
    name: /^@echogarden\/espeak-ng-emscripten$/,
    licence: 'GPL-3.0',
    why: 'optional; npm installs it, a process of its own loads it, and all but the local voices works without it',
  },
  {
    name: /^@img\/sharp/,
    licence: 'LGPL-3.0-or-later',
    why: 'libvips as a library of its own, which anybody may replace; loaded in the OCR process only',
  },
  {
    name: /^codec-parser$/,
    licence: 'LGPL-3.0-or-later',
    why: 'a package of its own, which anybody may replace; loaded only in the process that decodes audio',
  },
  {
    name: /^lightningcss/,
    licence: 'MPL-2.0',
    why: 'a tool of the console build; none of its code is in what we ship',
  },
  { name: /^axe-core$/, licence: 'MPL-2.0', why: 'a tool of the tests, unchanged' },
  { name: /^caniuse-lite$/, licence: 'CC-BY-4.0', why: 'a table that a tool of the tests reads' },
  { name: /^unionfs$/, licence: 'Unlicense', why: 'its package names no licence; its repository does' },
];

export type Licensed = LockedPackage & { licence: string; why?: string };

export function licensedPackages(): { free: Licensed[]; considered: Licensed[]; refused: Licensed[] } {
  const free: Licensed[] = [];
  const considered: Licensed[] = [];
  const refused: Licensed[] = [];
  for (const one of readLock().filter(({ isOurs }) => !isOurs)) {
    const licence = one.license ?? 'none named';
    const reason = CONSIDERED.find(({ name }) => name.test(one.name));
    if (isFree(licence)) free.push({ ...one, licence });
    else if (reason) considered.push({ ...one, licence: one.license ?? reason.licence, why: reason.why });
    else refused.push({ ...one, licence });
  }
  return { free, considered, refused };
}

/** Of "A OR B" one must be free, of "A AND B" both. */
function isFree(licence: string): boolean {
  const bare = licence.replace(/^\((.*)\)$/, '$1');
  if (bare.includes(' AND ')) return bare.split(' AND ').every(isFree);
  if (bare.includes(' OR ')) return bare.split(' OR ').some(isFree);
  return FREE.includes(bare);
}

/** docs/licences.md, from the lockfile alone. */
export function renderLicences(): string {
  const { free, considered } = licensedPackages();
  const byLicence = Map.groupBy(free, ({ licence }) => licence);
  const sections = [...byLicence]
    .sort(([a, left], [b, right]) => right.length - left.length || a.localeCompare(b))
    .map(([licence, list]) => `## ${licence}\n\n${[...new Set(list.map(nameOf))].join(', ')}\n`);
  return [
    '# Licences of what we build on\n',
    'Written by `node quality/campaigns/write-licences.ts` from `package-lock.json`; the tests check that it is true. Packages for other',
    'systems than yours are listed too. Those in *italics* are not installed with the npm package: they serve development, or their',
    'code is inside its files, and its `dist/THIRD-PARTY-NOTICES.txt` has their licences. `npm run sbom` prints the bill of',
    'materials (CycloneDX) of a checkout; `dist/sbom.cdx.json` is that of the package.\n',
    '## Considered one by one\n',
    '| Package | Licence | Why we may |\n|---|---|---|',
    ...[...Map.groupBy(considered, ({ licence, why }) => `${licence} | ${why}`)].map(
      ([reason, list]) => `| ${list.map(nameOf).join(', ')} | ${reason} |`,
    ),
    '',
    ...sections,
  ].join('\n');
}

function nameOf({ name, version, isInstalled }: Licensed): string {
  return isInstalled ? `${name} ${version}` : `*${name} ${version}*`;
}
