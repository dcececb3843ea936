/** The length of every transform here. */
export const POINTS = 400;
/** 400 = 16 × 25: groups of 25 are transformed by fives twice, then joined by twos. */
const FIVE = 5;
const SMALL = FIVE * FIVE;
const order = evenFirst(Array.from({ length: POINTS }, (_, i) => i)).flat();
const fullCos = Float64Array.from({ length: POINTS }, (_, i) => Math.cos((2 * Math.PI * i) / POINTS));
const fullSin = Float64Array.from({ length: POINTS }, (_, i) => -Math.sin((2 * Math.PI * i) / POINTS));
const workRe = new Float64Array(POINTS);
const workIm = new Float64Array(POINTS);
const rowRe = new Float64Array(SMALL);
const rowIm = new Float64Array(SMALL);
const [COS_1, COS_2] = [Math.cos((2 * Math.PI) / FIVE), Math.cos((4 * Math.PI) / FIVE)];
const [SIN_1, SIN_2] = [Math.sin((2 * Math.PI) / FIVE), Math.sin((4 * Math.PI) / FIVE)];

/** Even places, then odd ones, until groups of 25 are left, of which every fifth is next to each other. */
function evenFirst(places: number[]): number[][] {
  if (places.length === SMALL) return Array.from({ length: FIVE }, (_, i) => places.filter((_, at) => at % FIVE === i));
  const half = (parity: number) => evenFirst(places.filter((_, i) => i % 2 === parity));
  return [...half(0), ...half(1)];
}

/** A discrete Fourier transform of 400 values, in place. */
export function transform(real: Float64Array, imaginary: Float64Array): void {
  for (let start = 0; start < POINTS; start += SMALL) transformSmall(real, imaginary, start);
  for (let size = SMALL * 2; size <= POINTS; size *= 2) {
    const half = size / 2;
    const stride = POINTS / size;
    for (let start = 0; start < POINTS; start += size)
      for (let k = 0; k < half; k++) {
        const cos = fullCos[k * stride] as number;
        const sin = fullSin[k * stride] as number;
        const low = start + k;
        const high = low + half;
        const x = workRe[high] as number;
        const y = workIm[high] as number;
        const re = x * cos - y * sin;
        const im = x * sin + y * cos;
        workRe[high] = (workRe[low] as number) - re;
        workIm[high] = (workIm[low] as number) - im;
        workRe[low] = (workRe[low] as number) + re;
        workIm[low] = (workIm[low] as number) + im;
      }
  }
  real.set(workRe);
  imaginary.set(workIm);
}

/** 25 values: five transforms of five, turned, then five across them. */
function transformSmall(real: Float64Array, imaginary: Float64Array, start: number): void {
  const stride = POINTS / SMALL;
  for (let row = 0; row < FIVE; row++) {
    const at = row * FIVE;
    for (let i = 0; i < FIVE; i++) {
      const place = order[start + at + i] as number;
      rowRe[at + i] = real[place] as number;
      rowIm[at + i] = imaginary[place] as number;
    }
    transformFive(rowRe, rowIm, at, 1, rowRe, rowIm, at, 1);
    for (let k = 1; row > 0 && k < FIVE; k++) {
      const cos = fullCos[row * k * stride] as number;
      const sin = fullSin[row * k * stride] as number;
      const x = rowRe[at + k] as number;
      const y = rowIm[at + k] as number;
      rowRe[at + k] = x * cos - y * sin;
      rowIm[at + k] = x * sin + y * cos;
    }
  }
  for (let k = 0; k < FIVE; k++) transformFive(rowRe, rowIm, k, FIVE, workRe, workIm, start + k, FIVE);
}

function transformFive(
  re: Float64Array,
  im: Float64Array,
  from: number,
  step: number,
  outRe: Float64Array,
  outIm: Float64Array,
  to: number,
  outStep: number,
): void {
  const re0 = re[from] as number;
  const im0 = im[from] as number;
  const re1 = re[from + step] as number;
  const im1 = im[from + step] as number;
  const re2 = re[from + 2 * step] as number;
  const im2 = im[from + 2 * step] as number;
  const re3 = re[from + 3 * step] as number;
  const im3 = im[from + 3 * step] as number;
  const re4 = re[from + 4 * step] as number;
  const im4 = im[from + 4 * step] as number;
  const outerRe = re1 + re4;
  const outerIm = im1 + im4;
  const innerRe = re2 + re3;
  const innerIm = im2 + im3;
  const outerTurnRe = im1 - im4;
  const outerTurnIm = re4 - re1;
  const innerTurnRe = im2 - im3;
  const innerTurnIm = re3 - re2;
  const aRe = re0 + COS_1 * outerRe + COS_2 * innerRe;
  const aIm = im0 + COS_1 * outerIm + COS_2 * innerIm;
  const bRe = re0 + COS_2 * outerRe + COS_1 * innerRe;
  const bIm = im0 + COS_2 * outerIm + COS_1 * innerIm;
  const cRe = SIN_1 * outerTurnRe + SIN_2 * innerTurnRe;
  const cIm = SIN_1 * outerTurnIm + SIN_2 * innerTurnIm;
  const dRe = SIN_2 * outerTurnRe - SIN_1 * innerTurnRe;
  const dIm = SIN_2 * outerTurnIm - SIN_1 * innerTurnIm;
  outRe[to] = re0 + outerRe + innerRe;
  outIm[to] = im0 + outerIm + innerIm;
  outRe[to + outStep] = aRe + cRe;
  outIm[to + outStep] = aIm + cIm;
  outRe[to + 2 * outStep] = bRe + dRe;
  outIm[to + 2 * outStep] = bIm + dIm;
  outRe[to + 3 * outStep] = bRe - dRe;
  outIm[to + 3 * outStep] = bIm - dIm;
  outRe[to + 4 * outStep] = aRe - cRe;
  outIm[to + 4 * outStep] = aIm - cIm;
}
