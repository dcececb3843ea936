import { Refusal } from '../process/protocol.ts';

const MEGAPIXEL = 1_000_000;

export function tooManyPixels(what: string, pixels: number, pixelsMax: number): Refusal {
  const [has, may] = [pixels, pixelsMax].map((count) => Math.round(count / MEGAPIXEL));
  return new Refusal('image_too_large', `${what} has ${has} megapixels; it may have ${may}.`);
}
