import type { Compared } from './store/comparisons.ts';

type Interval = { value: number; low: number | null; high: number | null };

/** Of the normal distribution, for 95 % between both sides. */
const Z = 1.959963984540054;
const SIGNIFICANT = 0.05;

/** Student's t for 95 %, by the expansion of Cornish and Fisher; within 1 % from 3 degrees of freedom on. */
function tOf(degrees: number): number {
  if (degrees === 1) return 12.706;
  if (degrees === 2) return 4.303;
  const [z3, z5, z7] = [Z ** 3, Z ** 5, Z ** 7];
  return (
    Z +
    (z3 + Z) / (4 * degrees) +
    (5 * z5 + 16 * z3 + 3 * Z) / (96 * degrees ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * Z) / (384 * degrees ** 3)
  );
}

/** Of a mean, from the means of the values and of their squares. */
export function meanInterval(records: number, mean: number, squares: number): Interval {
  if (records < 2) return { value: mean, low: null, high: null };
  const variance = (Math.max(0, squares - mean * mean) * records) / (records - 1);
  const half = tOf(records - 1) * Math.sqrt(variance / records);
  return { value: mean, low: mean - half, high: mean + half };
}

/** Wilson's, for the share of records with a label. */
export function rateInterval(records: number, rate: number): Interval {
  if (records === 0) return { value: 0, low: null, high: null };
  const z2 = Z * Z;
  const middle = (rate + z2 / (2 * records)) / (1 + z2 / records);
  const half = (Z * Math.sqrt((rate * (1 - rate)) / records + z2 / (4 * records * records))) / (1 + z2 / records);
  return { value: rate, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** How likely so uneven a split is when records get better and worse alike: exact, both sides. */
export function signTest(better: number, worse: number): number {
  const changed = better + worse;
  if (changed === 0) return 1;
  const fewer = Math.min(better, worse);
  let log = -changed * Math.LN2;
  let sum = Math.exp(log);
  for (let k = 1; k <= fewer; k++) {
    log += Math.log((changed - k + 1) / k);
    sum += Math.exp(log);
  }
  return Math.min(1, 2 * sum);
}

/** Both the size of the difference and the count of records must speak for it. */
export function verdictOf(difference: Interval, pValue: number, sign: 1 | -1) {
  const { low, high } = difference;
  if (low === null || high === null || pValue >= SIGNIFICANT || (low <= 0 && high >= 0)) return 'no_clear_difference';
  return low > 0 === (sign === 1) ? 'better' : 'worse';
}

export function summarize(compared: Compared, isRate: boolean, sign: 1 | -1) {
  const { records, better, worse } = compared;
  const of = (mean: number, squares: number) =>
    isRate ? rateInterval(records, mean) : meanInterval(records, mean, squares);
  const difference = meanInterval(records, compared.difference, compared.difference_squares);
  const p_value = signTest(better, worse);
  return {
    records,
    better,
    worse,
    same: records - better - worse,
    average: of(compared.average, compared.squares),
    baseline_average: of(compared.baseline_average, compared.baseline_squares),
    difference,
    p_value,
    verdict: verdictOf(difference, p_value, sign),
  } as const;
}
