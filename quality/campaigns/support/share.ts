/** `TRAMONTANE_TRUST_SHARE=0.2` repeats a full form a fifth as often as it should be; such figures are not kept. */
export const share = Number(process.env.TRAMONTANE_TRUST_SHARE ?? 1);
// Anything else would repeat nothing, and find nothing.
if (!(share > 0 && share <= 1)) throw new Error('TRAMONTANE_TRUST_SHARE takes a number above 0 and up to 1.');

/** How often the full form repeats something, at least once. */
export const repeats = (full: number): number => Math.max(1, Math.round(full * share));
