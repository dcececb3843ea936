import { expect, it } from 'vitest';
import { makeTone } from '../sounds-for-tests.ts';
import { FRAMES, logMel } from './mel.ts';

it('a tone is loudest in its own band while it lasts, and silence follows', () => {
  const mel = logMel(makeTone(1));
  const bandAt = (frame: number) => {
    let best = 0;
    for (let band = 0; band < 80; band++)
      if ((mel[band * FRAMES + frame] ?? 0) > (mel[best * FRAMES + frame] ?? 0)) best = band;
    return { best, value: mel[best * FRAMES + frame] ?? 0 };
  };
  // 440 Hz lies in the band around 6.6 mel of 15 up to 1000 Hz, which are 81 edges up to 8 kHz.
  expect([10, 11].includes(bandAt(50).best)).toBe(true);
  expect(bandAt(51)).toEqual({ best: bandAt(50).best, value: expect.closeTo(bandAt(50).value, 1) });
  expect(bandAt(2000).value).toBeLessThan(bandAt(50).value - 1.5);
});
