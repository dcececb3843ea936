import { expect, it } from 'vitest';
import { makeTone } from '../sounds-for-tests.ts';
import { FRAMES_MAX, framesFor, logMel } from './mel.ts';

it('a tone is loudest in its own band while it lasts, and silence follows', () => {
  const mel = logMel(makeTone(1));
  const bandAt = (frame: number) => {
    let best = 0;
    for (let band = 0; band < 80; band++)
      if ((mel[band * FRAMES_MAX + frame] ?? 0) > (mel[best * FRAMES_MAX + frame] ?? 0)) best = band;
    return { best, value: mel[best * FRAMES_MAX + frame] ?? 0 };
  };
  // 440 Hz lies in the band around 6.6 mel of 15 up to 1000 Hz, which are 81 edges up to 8 kHz.
  expect([10, 11].includes(bandAt(50).best)).toBe(true);
  expect(bandAt(51)).toEqual({ best: bandAt(50).best, value: expect.closeTo(bandAt(50).value, 1) });
  expect(bandAt(2000).value).toBeLessThan(bandAt(50).value - 1.5);
});

it('a short window has the same frames as the whole one, and a second of silence behind it', () => {
  const [short, whole] = [logMel(makeTone(2), framesFor(32_000)), logMel(makeTone(2))];
  expect(short.length / 80).toBe(300);
  expect(framesFor(29 * 16_000)).toBe(FRAMES_MAX);
  for (const band of [0, 40, 79])
    expect(short.slice(band * 300, band * 300 + 300)).toEqual(whole.slice(band * FRAMES_MAX, band * FRAMES_MAX + 300));
});
