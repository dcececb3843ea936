import { UsageError } from './command.ts';

const MICROS_DIGITS = 6;
const AMOUNT = /^(\d{1,9})(?:\.(\d{1,6}))?$/;
const COUNT = /^\d{1,15}$/;

/** A limit as a whole number; `none` is no limit. */
export function parseLimit(option: string, text: string): number | null {
  if (text === 'none') return null;
  if (COUNT.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number, or none for no limit, not '${text}'.`);
}

/** An amount of money in its millionths; read digit by digit, because 0.1 and its like are no exact numbers. */
export function parseBudget(option: string, text: string): number | null {
  if (text === 'none') return null;
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? [];
  if (whole !== undefined) return Number(whole + fraction.padEnd(MICROS_DIGITS, '0'));
  throw new UsageError(
    `--${option} must be an amount such as 50 or 0.25, with up to six decimals, or none for no limit, not '${text}'.`,
  );
}

/** With at least two decimals, and all that are not zero. */
export function formatAmount(amount: number): string {
  return amount.toFixed(MICROS_DIGITS).replace(/0{1,4}$/, '');
}
