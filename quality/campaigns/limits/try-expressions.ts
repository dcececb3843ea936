import type { BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { attackExpression, type Finding } from './attack-expression.ts';
import { type Expression, findExpressions } from './find-expressions.ts';
import { BUILT, CUT_BEFORE } from './known-expressions.ts';
import { cpuBarMs } from './trial.ts';

const CHARACTERS = 100_000;
const THOROUGH = { literals: 14, heads: 14, samples: 20, pairs: 4, endings: 4 };
const QUICK = { literals: 5, heads: 2, samples: 4, pairs: 0, endings: 1 };

/** Every regular expression of the server against 100 kB that are built to keep it busy. */
export function tryExpressions({ quick, progress }: BenchmarkOptions): Figure[] {
  const { expressions, built } = findExpressions();
  const unique = [...new Map(expressions.map((found) => [`${found.source}/${found.flags}`, found])).values()];
  const findings = unique.map((expression, index) => {
    if (index % 20 === 0) progress(`limits: expression ${index} of ${unique.length}`);
    return attackExpression(expression, lengthFor(expression), quick ? QUICK : THOROUGH);
  });
  const barMs = cpuBarMs(quick);
  const slow = findings.filter(({ ms }) => ms > barMs);
  const worst = findings.reduce((one, other) => (other.ms > one.ms ? other : one));
  const unjudged = built.filter((where) => !((where.split(':')[0] ?? '') in BUILT));
  return [
    {
      name: `regular expressions over ${barMs} ms with 100 kB`,
      value: slow.length,
      unit: '',
      target: { at: '≤', value: 0 },
      note: slow.map(describe).join('; ') || `${unique.length} expressions; the slowest: ${describe(worst)}`,
    },
    {
      name: 'regular expressions built at run time that nobody has judged',
      value: unjudged.length,
      unit: '',
      target: { at: '≤', value: 0 },
      note: unjudged.join(', ') || `${built.length} places`,
    },
  ];
}

function lengthFor({ where }: Expression): number {
  return CUT_BEFORE.find(({ file }) => where.startsWith(`${file}:`))?.characters ?? CHARACTERS;
}

function describe({ where, ms, attack }: Finding): string {
  return `${where} ${ms.toFixed(0)} ms by ${attack}`;
}
