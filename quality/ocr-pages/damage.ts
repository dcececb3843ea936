import sharp from 'sharp';
import { type Bitmap, toBitmap, toSharp } from '../../src/engines/ocr/scan/bitmap.ts';

export type Damage = (picture: Bitmap) => Promise<Bitmap>;

export const turned =
  (degrees: number): Damage =>
  (picture) =>
    toBitmap(toSharp(picture).rotate(degrees, { background: '#fff' }));

/** Black becomes `ink` and white `paper`, with what lies between. */
export const faded =
  (ink: number, paper: number): Damage =>
  (picture) =>
    toBitmap(toSharp(picture).linear((paper - ink) / 255, ink));

/** Grain, as cheap sensors have it, and the blocks of a JPEG. */
export const grainy =
  (strength: number, seed: number): Damage =>
  async (picture) => {
    const next = randomNumbers(seed);
    const data = Buffer.from(picture.data);
    for (let i = 0; i < data.length; i += picture.channels) {
      const grain = (next() + next() + next() - 1.5) * strength;
      for (let c = 0; c < picture.channels; c++) data[i + c] = clamp((data[i + c] as number) + grain);
    }
    return throughJpeg({ ...picture, data }, 75);
  };

/** Dots that a copier leaves. */
export const dusty =
  (share: number, seed: number): Damage =>
  async (picture) => {
    const next = randomNumbers(seed);
    const data = Buffer.from(picture.data);
    for (let i = 0; i < data.length; i += picture.channels)
      if (next() < share) data.fill(next() < 0.7 ? 30 : 255, i, i + picture.channels);
    return { ...picture, data };
  };

type Shot = {
  seed: number;
  /** How far the corners are off, as a share of the side. */
  tilt?: number;
  /** Light at the darkest place, of that at the brightest. */
  light?: number;
  /** Of the lens, in pixels. */
  blur?: number;
  grain?: number;
  /** The edge of a shadow that falls on the page. */
  hasShadow?: boolean;
};

/** A sheet on a desk, not quite from above, under one lamp, through a lens and as a JPEG. */
export const photographed =
  ({ seed, tilt = 0.02, light = 0.55, blur = 0.7, grain = 14, hasShadow = false }: Shot): Damage =>
  async (picture) => {
    const next = randomNumbers(seed);
    const [width, height] = [Math.round(picture.width * 1.12), Math.round(picture.height * 1.14)];
    const off = (side: number) => (next() * 2 - 1) * tilt * side;
    const [left, top] = [(width - picture.width) / 2, (height - picture.height) / 2];
    const corners = [
      [left, top],
      [width - left, top],
      [width - left, height - top],
      [left, height - top],
    ].map(([x = 0, y = 0]) => [x + off(width), y + off(height)] as const);
    const toSheet = homographyTo(corners, picture.width, picture.height);
    const lamp = [width * (0.2 + 0.6 * next()), height * 0.1];
    const reach = Math.hypot(width, height);
    const data = Buffer.alloc(width * height * 3);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [sx, sy] = toSheet(x, y);
        const isOnSheet = sx >= 0 && sy >= 0 && sx < picture.width - 1 && sy < picture.height - 1;
        const distance = Math.hypot(x - (lamp[0] as number), y - (lamp[1] as number)) / reach;
        const shadow = hasShadow ? 1 - 0.35 / (1 + Math.exp((x * 0.5 + y * 0.8 - width * 0.55) / (width * 0.03))) : 1;
        const shine = (1 - (1 - light) * Math.min(1, distance)) * shadow;
        const noise = (next() + next() + next() - 1.5) * grain;
        for (let c = 0; c < 3; c++) {
          const paper = isOnSheet ? sample(picture, sx, sy, c) * 0.94 : ([96, 72, 54][c] as number);
          data[(y * width + x) * 3 + c] = clamp(paper * shine + noise);
        }
      }
    const shot = toSharp({ data, width, height, channels: 3 });
    return throughJpeg(await toBitmap(blur > 0 ? shot.blur(Math.max(0.3, blur)) : shot), 80);
  };

async function throughJpeg(picture: Bitmap, quality: number): Promise<Bitmap> {
  return toBitmap(sharp(await toSharp(picture).jpeg({ quality }).toBuffer()));
}

function sample({ data, width, channels }: Bitmap, x: number, y: number, channel: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [right, down] = [x - column, y - row];
  const at = (row * width + column) * channels + Math.min(channel, channels - 1);
  const below = at + width * channels;
  return (
    (1 - down) * ((1 - right) * (data[at] as number) + right * (data[at + channels] as number)) +
    down * ((1 - right) * (data[below] as number) + right * (data[below + channels] as number))
  );
}

/** From the photograph to the sheet, whose corners are at `corners`, clockwise from the upper left. */
function homographyTo(
  corners: (readonly [number, number])[],
  width: number,
  height: number,
): (x: number, y: number) => [number, number] {
  const targets = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ] as const;
  const rows = corners.flatMap(([x, y], i) => {
    const [u, v] = targets[i] as readonly [number, number];
    return [
      [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
      [0, 0, 0, x, y, 1, -v * x, -v * y, v],
    ];
  });
  const [a, b, c, d, e, f, g, h] = solve(rows) as [number, number, number, number, number, number, number, number];
  return (x, y) => {
    const w = g * x + h * y + 1;
    return [(a * x + b * y + c) / w, (d * x + e * y + f) / w];
  };
}

/** Gaussian elimination; each row ends with its right-hand side. */
function solve(rows: number[][]): number[] {
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const pivot = rows.slice(column).reduce((best, row) => (largerAt(column, row, best) ? row : best));
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(column, 0, pivot);
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = (row[column] as number) / (pivot[column] as number);
      for (let i = column; i <= size; i++) row[i] = (row[i] as number) - factor * (pivot[i] as number);
    }
  }
  return rows.map((row, i) => (row[size] as number) / (row[i] as number));
}

const largerAt = (column: number, row: number[], other: number[]) =>
  Math.abs(row[column] as number) > Math.abs(other[column] as number);

const clamp = (value: number) => Math.max(0, Math.min(255, Math.round(value)));

/** The same at every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
