import type { PdfPage } from './pdf-page.ts';
import { withMemory } from './pdfium.ts';

const LINKS_MAX = 1000;
const ADDRESS_BYTES = 4096;

/** Addresses that the page links to, each once: marked ones, and those that only stand in the text. */
export function readLinks(
  { pdfium, page, scratch }: Pick<PdfPage, 'pdfium' | 'page' | 'scratch'>,
  document: number,
): string[] {
  const found = new Set<string>();
  withMemory(pdfium, ADDRESS_BYTES, (buffer) => {
    const [position, link] = [scratch.pointer, scratch.pointer + 4];
    new DataView(pdfium.HEAPU8.buffer).setInt32(position, 0, true);
    for (let i = 0; i < LINKS_MAX && pdfium._FPDFLink_Enumerate(page, position, link); i++) {
      const action = pdfium._FPDFLink_GetAction(scratch.int(4));
      const length = action ? pdfium._FPDFAction_GetURIPath(document, action, buffer, ADDRESS_BYTES) : 0;
      if (length > 1 && length <= ADDRESS_BYTES)
        found.add(Buffer.from(pdfium.HEAPU8.subarray(buffer, buffer + length - 1)).toString('utf8'));
    }
    const textPage = pdfium._FPDFText_LoadPage(page);
    if (!textPage) return;
    const links = pdfium._FPDFLink_LoadWebLinks(textPage);
    const count = links ? Math.min(pdfium._FPDFLink_CountWebLinks(links), LINKS_MAX) : 0;
    for (let i = 0; i < count; i++) {
      const characters = pdfium._FPDFLink_GetURL(links, i, buffer, ADDRESS_BYTES / 2);
      if (characters > 1)
        found.add(Buffer.from(pdfium.HEAPU8.subarray(buffer, buffer + 2 * (characters - 1))).toString('utf16le'));
    }
    if (links) pdfium._FPDFLink_CloseWebLinks(links);
    pdfium._FPDFText_ClosePage(textPage);
  });
  return [...found];
}
