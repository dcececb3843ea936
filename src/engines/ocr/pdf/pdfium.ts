import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PDFiumModule } from '@hyzyla/pdfium';

const MEBIBYTE = 1024 * 1024;
const wasmFile = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm');

/** The library's own functions that are used here: all take numbers, most of them pointers, and return one. */
type Functions =
  | '_FPDFAction_GetURIPath'
  | '_FPDFBitmap_CreateEx'
  | '_FPDFBitmap_Destroy'
  | '_FPDFBitmap_FillRect'
  | '_FPDFFormObj_CountObjects'
  | '_FPDFFormObj_GetObject'
  | '_FPDFImageObj_GetImagePixelSize'
  | '_FPDFLink_CloseWebLinks'
  | '_FPDFLink_CountWebLinks'
  | '_FPDFLink_Enumerate'
  | '_FPDFLink_GetAction'
  | '_FPDFLink_GetURL'
  | '_FPDFLink_LoadWebLinks'
  | '_FPDFPageObj_GetBounds'
  | '_FPDFPageObj_GetMatrix'
  | '_FPDFPageObj_GetType'
  | '_FPDFPage_CountObjects'
  | '_FPDFPage_Flatten'
  | '_FPDFPage_GetAnnotCount'
  | '_FPDFPage_GetObject'
  | '_FPDFPathSegment_GetClose'
  | '_FPDFPathSegment_GetPoint'
  | '_FPDFPathSegment_GetType'
  | '_FPDFPath_CountSegments'
  | '_FPDFPath_GetDrawMode'
  | '_FPDFPath_GetPathSegment'
  | '_FPDFText_ClosePage'
  | '_FPDFText_CountChars'
  | '_FPDFText_GetCharAngle'
  | '_FPDFText_GetCharBox'
  | '_FPDFText_GetFontInfo'
  | '_FPDFText_GetFontSize'
  | '_FPDFText_GetFontWeight'
  | '_FPDFText_GetTextObject'
  | '_FPDFText_GetUnicode'
  | '_FPDFText_LoadPage'
  | '_FPDF_CloseDocument'
  | '_FPDF_ClosePage'
  | '_FPDF_DeviceToPage'
  | '_FPDF_GetLastError'
  | '_FPDF_GetPageCount'
  | '_FPDF_GetPageHeightF'
  | '_FPDF_GetPageWidthF'
  | '_FPDF_InitLibrary'
  | '_FPDF_LoadMemDocument'
  | '_FPDF_LoadPage'
  | '_FPDF_RenderPageBitmap';

/** The package's own classes show little of a page; its module has all functions. */
export type Pdfium = Record<Functions, (...values: number[]) => number> & {
  wasmExports: { malloc(bytes: number): number; free(pointer: number): void };
  HEAPU8: Uint8Array;
};

/** PDFium with a limit of its own: a document that wants more memory gets none, which it does not survive. */
export async function loadPdfium(memoryMib: number): Promise<Pdfium> {
  const wasmModule = await WebAssembly.compile(await readFile(wasmFile));
  const instantiateWasm = (imports: WebAssembly.Imports, ready: (instance: WebAssembly.Instance) => void) => {
    const grow = imports.env?.emscripten_resize_heap as (bytes: number) => number;
    const env = {
      ...imports.env,
      emscripten_resize_heap: (bytes: number) => (bytes >>> 0 > memoryMib * MEBIBYTE ? 0 : grow(bytes)),
    };
    void WebAssembly.instantiate(wasmModule, { ...imports, env }).then(ready);
    return {};
  };
  const pdfium = (await PDFiumModule({ instantiateWasm } as never)) as unknown as Pdfium;
  pdfium._FPDF_InitLibrary();
  return pdfium;
}

/** Memory for what functions write their results to. */
export type Scratch = {
  pointer: number;
  double(at: number): number;
  float(at: number): number;
  int(at: number): number;
};

export function makeScratch(pdfium: Pdfium): Scratch {
  const pointer = pdfium.wasmExports.malloc(256);
  // The heap is another buffer after it has grown.
  const view = () => new DataView(pdfium.HEAPU8.buffer);
  return {
    pointer,
    double: (at) => view().getFloat64(pointer + at, true),
    float: (at) => view().getFloat32(pointer + at, true),
    int: (at) => view().getInt32(pointer + at, true),
  };
}

export function withMemory<T>(pdfium: Pdfium, bytes: number, work: (pointer: number) => T): T {
  const pointer = pdfium.wasmExports.malloc(bytes);
  if (pointer === 0) throw new Error(`There is no room for ${bytes} bytes.`);
  try {
    return work(pointer);
  } finally {
    pdfium.wasmExports.free(pointer);
  }
}
