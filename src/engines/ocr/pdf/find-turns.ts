import type { Affine } from './affine.ts';
import type { Pdfium } from './pdfium.ts';

const LETTERS_SEEN = 200;

/** In which direction a letter of the text runs where it is shown, in radians clockwise; 0 is from left to right. */
export function directionOf(pdfium: Pdfium, textPage: number, letter: number, [a, b, c, d]: Affine): number {
  const angle = pdfium._FPDFText_GetCharAngle(textPage, letter);
  if (angle < 0) return 0;
  // PDFium counts clockwise; the y of the page points up.
  const [x, y] = [Math.cos(angle), -Math.sin(angle)];
  return Math.atan2(b * x + d * y, a * x + c * y);
}

/** The quarter turns, clockwise, that make most of the text of a page run from left to right. */
export function findTurns(pdfium: Pdfium, page: number, toPixels: Affine): number {
  const textPage = pdfium._FPDFText_LoadPage(page);
  if (!textPage) return 0;
  const count = pdfium._FPDFText_CountChars(textPage);
  const votes = [0, 0, 0, 0];
  for (let i = 0; i < count; i += Math.ceil(count / LETTERS_SEEN)) {
    const quarters = Math.round(directionOf(pdfium, textPage, i, toPixels) / (Math.PI / 2));
    const turns = (4 - ((quarters + 4) % 4)) % 4;
    votes[turns] = (votes[turns] as number) + 1;
  }
  pdfium._FPDFText_ClosePage(textPage);
  return votes.indexOf(Math.max(...votes));
}
