/** Why a document is not read, in words for who sent it. Anything else that is thrown is our own fault. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const MEGAPIXEL = 1_000_000;

export function tooManyPixels(what: string, pixels: number, pixelsMax: number): Refusal {
  const [has, may] = [pixels, pixelsMax].map((count) => Math.round(count / MEGAPIXEL));
  return new Refusal('image_too_large', `${what} has ${has} megapixels; it may have ${may}.`);
}
