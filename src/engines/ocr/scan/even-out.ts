import { type Bitmap, toBitmap, toSharp } from './bitmap.ts';

/** Pixels of a side of a cell whose middle brightness is its background. */
const CELL = 16;
/** Of the differences between ink and paper: this share of the darkest pixels counts as ink through and through. */
const BLACKEST = 0.005;
/** Every so many pixels are enough to measure a page. */
const SAMPLE = 5;
/** Contrast below which a page is empty; noise would become letters. */
const CONTRAST_MIN = 12;
/** Grain, as a share of the contrast, from which it is smoothed away. */
const GRAINY = 0.1;
const SMOOTHING = 1.1;
/** Differences that count as none, of the contrast: thin letters are pale, and so is what smoothing leaves of grain. */
const WHITE = 0.05;
const WHITE_GRAINY = 0.3;

/**
 * Black letters on white paper, whatever the light, the paper, the contrast, and whether letters are darker or lighter than what
 * they stand on. Areas of one colour become white.
 */
export async function evenOut(grey: Bitmap): Promise<Bitmap> {
  const background = findBackground(grey);
  let ink = depthOf(grey, background);
  let contrast = contrastOf(ink);
  if (contrast < CONTRAST_MIN) return { ...grey, data: Buffer.alloc(grey.data.length, 255) };
  const isGrainy = grainOf(ink) > GRAINY * contrast;
  if (isGrainy) {
    const smoothed = await toBitmap(
      toSharp({ ...grey, data: ink })
        .blur(SMOOTHING)
        .toColourspace('b-w'),
    );
    ink = smoothed.data;
    contrast = contrastOf(ink);
  }
  const white = isGrainy ? WHITE_GRAINY : WHITE;
  const levels = new Uint8Array(256);
  for (let depth = 0; depth < 256; depth++) {
    const share = (depth / contrast - white) / (1 - white);
    levels[depth] = Math.round(255 * (1 - Math.min(1, Math.max(0, share))));
  }
  for (let i = 0; i < ink.length; i++) ink[i] = levels[ink[i] as number] as number;
  return { ...grey, data: ink };
}

type Background = { columns: number; rows: number; values: Float32Array };

function findBackground({ data, width, height }: Bitmap): Background {
  const [columns, rows] = [Math.max(1, Math.ceil(width / CELL)), Math.max(1, Math.ceil(height / CELL))];
  const middles = new Float32Array(columns * rows);
  const counts = new Uint16Array(256);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      counts.fill(0);
      let total = 0;
      for (let y = row * CELL; y < Math.min(height, (row + 1) * CELL); y += 2)
        for (let x = column * CELL; x < Math.min(width, (column + 1) * CELL); x++) {
          const value = data[y * width + x] as number;
          counts[value] = (counts[value] as number) + 1;
          total++;
        }
      // A little above the middle: letters are seldom more than half of what they stand on.
      middles[row * columns + column] = rankOf(counts, total * 0.6);
    }
  return { columns, rows, values: smooth(middles, columns, rows) };
}

function rankOf(counts: Uint16Array, rank: number): number {
  let seen = 0;
  for (let value = 0; value < 256; value++) {
    seen += counts[value] as number;
    if (seen >= rank) return value;
  }
  return 255;
}

/** The median of the cells around each: a cell inside a thick letter takes the colour of the others. */
function smooth(values: Float32Array, columns: number, rows: number): Float32Array {
  const smoothed = new Float32Array(values.length);
  const around: number[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      around.length = 0;
      for (let y = Math.max(0, row - 2); y <= Math.min(rows - 1, row + 2); y++)
        for (let x = Math.max(0, column - 2); x <= Math.min(columns - 1, column + 2); x++)
          around.push(values[y * columns + x] as number);
      around.sort((a, b) => a - b);
      smoothed[row * columns + column] = around[around.length >> 1] as number;
    }
  return smoothed;
}

/** How far each pixel is off its background, from 0 to 255, as a share of how far it could be. */
function depthOf({ data, width, height }: Bitmap, { columns, rows, values }: Background): Buffer {
  const depths = Buffer.alloc(data.length);
  const papers = new Float32Array(columns);
  for (let y = 0; y < height; y++) {
    const at = Math.min(rows - 1, Math.max(0, (y + 0.5) / CELL - 0.5));
    const [upper, lower] = [Math.floor(at) * columns, Math.min(rows - 1, Math.floor(at) + 1) * columns];
    const down = at - Math.floor(at);
    for (let column = 0; column < columns; column++)
      papers[column] = (values[upper + column] as number) * (1 - down) + (values[lower + column] as number) * down;
    // From the middle of a cell to that of the next.
    for (let column = -1; column < columns; column++) {
      const [from, to] = [papers[Math.max(0, column)] as number, papers[Math.min(columns - 1, column + 1)] as number];
      const start = Math.max(0, column * CELL + CELL / 2);
      const end = Math.min(width, (column + 1) * CELL + CELL / 2);
      const step = (to - from) / CELL;
      let paper = from;
      for (let i = y * width + start; i < y * width + end; i++, paper += step)
        depths[i] = DEPTHS[(Math.round(paper) << 8) | (data[i] as number)] as number;
    }
  }
  return depths;
}

/** By paper and pixel. By ratio, so that a shadow that halves both changes nothing. */
const DEPTHS = new Uint8Array(256 * 256);
for (let paper = 0; paper < 256; paper++)
  for (let pixel = 0; pixel < 256; pixel++)
    DEPTHS[(paper << 8) | pixel] = (255 * Math.abs(paper - pixel)) / Math.max(1, paper, pixel);

function contrastOf(depths: Buffer): number {
  const counts = new Uint32Array(256);
  for (let i = 0; i < depths.length; i += SAMPLE) {
    const depth = depths[i] as number;
    counts[depth] = (counts[depth] as number) + 1;
  }
  let left = (depths.length / SAMPLE) * BLACKEST;
  for (let depth = 255; depth > 0; depth--) {
    left -= counts[depth] as number;
    if (left <= 0) return depth;
  }
  return 0;
}

/** The middle difference of neighbours: paper is most of a page, and is even where there is no grain. */
function grainOf(depths: Buffer): number {
  const counts = new Uint32Array(256);
  let total = 0;
  for (let i = 1; i < depths.length; i += SAMPLE) {
    const difference = Math.abs((depths[i] as number) - (depths[i - 1] as number));
    counts[difference] = (counts[difference] as number) + 1;
    total++;
  }
  let seen = 0;
  for (let difference = 0; difference < 256; difference++) {
    seen += counts[difference] as number;
    if (seen >= total * 0.75) return difference;
  }
  return 0;
}
