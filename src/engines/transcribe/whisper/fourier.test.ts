import { expect, it } from 'vitest';
import { POINTS, transform } from './fourier.ts';

it('is the discrete Fourier transform of complex values', () => {
  const value = (i: number) => Math.sin(i * i) + i / 500;
  const real = Float64Array.from({ length: POINTS }, (_, i) => value(i));
  const imaginary = Float64Array.from({ length: POINTS }, (_, i) => value(i + 1000));
  const wanted = (k: number) => {
    let [re, im] = [0, 0];
    for (let n = 0; n < POINTS; n++) {
      const angle = (-2 * Math.PI * ((n * k) % POINTS)) / POINTS;
      re += value(n) * Math.cos(angle) - value(n + 1000) * Math.sin(angle);
      im += value(n) * Math.sin(angle) + value(n + 1000) * Math.cos(angle);
    }
    return [re, im] as const;
  };
  transform(real, imaginary);
  for (let k = 0; k < POINTS; k++) {
    const [re, im] = wanted(k);
    expect(real[k]).toBeCloseTo(re, 8);
    expect(imaginary[k]).toBeCloseTo(im, 8);
  }
});
