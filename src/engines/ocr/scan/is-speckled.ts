import type { Bitmap } from './bitmap.ts';

const DARK = 128;
const SPECKLED = 0.06;
/** Every third row is enough. */
const STEP = 3;

/** Whether many dark pixels stand alone, as dust and bad sensors leave them and letters do not. */
export function isSpeckled({ data, width, height }: Bitmap): boolean {
  const isDark = (at: number) => ((data[at] as number) < DARK ? 1 : 0);
  let [dark, alone] = [0, 0];
  for (let y = 1; y < height - 1; y += STEP)
    for (let at = y * width + 1; at < (y + 1) * width - 1; at++) {
      if (!isDark(at)) continue;
      dark++;
      if (isDark(at - 1) + isDark(at + 1) + isDark(at - width) + isDark(at + width) <= 1) alone++;
    }
  return dark > 0 && alone / dark > SPECKLED;
}
