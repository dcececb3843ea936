const MICROS = 1_000_000;

export function inCurrency(micros: number): number {
  return micros / MICROS;
}

export function inMicros(amount: number): number {
  return amount * MICROS;
}

/** `€` for EUR; the code itself for what has no sign. */
export function symbolOf(currency: string): string {
  const parts = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  return parts.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
}
