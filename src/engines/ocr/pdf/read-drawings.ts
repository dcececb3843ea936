import type { Rule } from '../layout/elements.ts';
import { areaOf, type Box, heightOf, overlapOf, unionOf, widthOf } from '../layout/geometry.ts';
import { toRule } from '../layout/ruled-tables.ts';
import { tooManyPixels } from '../too-many-pixels.ts';
import { type Affine, after, applyToBox } from './affine.ts';
import type { PdfPage } from './pdf-page.ts';

const PATH = 2;
const IMAGE = 3;
const FORM = 5;
const DEPTH_MAX = 5;
/** More than any drawn page has; a page of nothing but lines is read without them. */
const OBJECTS_MAX = 50_000;
const RULE_LENGTH_MIN = 12;
const RULE_THICKNESS_MAX = 8;
const SEGMENTS_MAX = 64;
const PICTURE_SIZE_MIN = 12;

export type Drawings = { rules: Rule[]; pictures: Box[]; objects: number };

/** Lines that part things, and pictures. */
export function readDrawings(opened: PdfPage): Drawings {
  const { pdfium, scratch, page, toPixels } = opened;
  const drawings: Drawings = { rules: [], pictures: [], objects: 0 };
  const count = Math.min(pdfium._FPDFPage_CountObjects(page), OBJECTS_MAX);
  for (let i = 0; i < count; i++) add(pdfium._FPDFPage_GetObject(page, i), toPixels, 0);
  return { ...drawings, pictures: joinPictures(drawings.pictures) };

  function add(object: number, place: Affine, depth: number): void {
    if (drawings.objects++ > OBJECTS_MAX) return;
    const type = pdfium._FPDFPageObj_GetType(object);
    if (type === FORM && depth < DEPTH_MAX) {
      const inner = after(place, matrixOf(object));
      const parts = Math.min(pdfium._FPDFFormObj_CountObjects(object), OBJECTS_MAX);
      for (let i = 0; i < parts; i++) add(pdfium._FPDFFormObj_GetObject(object, i), inner, depth + 1);
    } else if (type === IMAGE) {
      checkPixels(object);
      const box = cut(boundsOf(object, place));
      if (widthOf(box) >= PICTURE_SIZE_MIN && heightOf(box) >= PICTURE_SIZE_MIN) drawings.pictures.push(box);
    } else if (type === PATH) addPath(object, place);
  }

  /** Before it is unpacked. */
  function checkPixels(object: number): void {
    if (!pdfium._FPDFImageObj_GetImagePixelSize(object, scratch.pointer, scratch.pointer + 4)) return;
    const pixels = (scratch.int(0) >>> 0) * (scratch.int(4) >>> 0);
    if (pixels > opened.pixelsMax) throw tooManyPixels('A picture in the PDF', pixels, opened.pixelsMax);
  }

  function addPath(object: number, place: Affine): void {
    const whole = toRule(boundsOf(object, place), RULE_LENGTH_MIN, RULE_THICKNESS_MAX);
    if (whole) drawings.rules.push(whole);
    else
      for (const box of edgesOf(object, after(place, matrixOf(object)))) {
        const rule = toRule(box, RULE_LENGTH_MIN, RULE_THICKNESS_MAX);
        if (rule) drawings.rules.push(rule);
      }
  }

  /** The sides of what is drawn as one path: a frame, or all lines of a table. */
  function edgesOf(object: number, place: Affine): Box[] {
    const segments = pdfium._FPDFPath_CountSegments(object);
    if (segments < 2 || segments > SEGMENTS_MAX || !isStroked(object)) return [];
    const edges: Box[] = [];
    let last: [number, number] | undefined;
    let start: [number, number] | undefined;
    for (let i = 0; i < segments; i++) {
      const segment = pdfium._FPDFPath_GetPathSegment(object, i);
      if (!pdfium._FPDFPathSegment_GetPoint(segment, scratch.pointer, scratch.pointer + 4)) continue;
      const point: [number, number] = [scratch.float(0), scratch.float(4)];
      const isMove = pdfium._FPDFPathSegment_GetType(segment) === 2;
      if (isMove) start = point;
      else if (last) edges.push(applyToBox(place, last[0], last[1], point[0], point[1]));
      if (pdfium._FPDFPathSegment_GetClose(segment) && start)
        edges.push(applyToBox(place, point[0], point[1], start[0], start[1]));
      last = point;
    }
    return edges;
  }

  function isStroked(object: number): boolean {
    pdfium._FPDFPath_GetDrawMode(object, scratch.pointer, scratch.pointer + 4);
    return scratch.int(4) !== 0;
  }

  function matrixOf(object: number): Affine {
    if (!pdfium._FPDFPageObj_GetMatrix(object, scratch.pointer)) return [1, 0, 0, 1, 0, 0];
    return [0, 4, 8, 12, 16, 20].map((at) => scratch.float(at)) as Affine;
  }

  function boundsOf(object: number, place: Affine): Box {
    const { pointer } = scratch;
    if (!pdfium._FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12))
      return { x0: 0, y0: 0, x1: 0, y1: 0 };
    return applyToBox(place, scratch.float(0), scratch.float(4), scratch.float(8), scratch.float(12));
  }

  function cut({ x0, y0, x1, y1 }: Box): Box {
    return {
      x0: Math.max(0, x0),
      y0: Math.max(0, y0),
      x1: Math.min(opened.width, x1),
      y1: Math.min(opened.height, y1),
    };
  }
}

/** Programs cut pictures into stripes: what touches is one. */
function joinPictures(pictures: Box[]): Box[] {
  const joined: Box[] = [];
  for (const picture of pictures) {
    const near = { x0: picture.x0 - 2, y0: picture.y0 - 2, x1: picture.x1 + 2, y1: picture.y1 + 2 };
    const at = joined.findIndex((other) => overlapOf(other, near) > 0);
    if (at < 0) joined.push(picture);
    else joined[at] = unionOf([joined[at] as Box, picture]);
  }
  return joined
    .sort((a, b) => areaOf(b) - areaOf(a))
    .slice(0, 500)
    .sort((a, b) => a.y0 - b.y0 || a.x0 - b.x0);
}
