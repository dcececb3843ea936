import sharp from 'sharp';

export type Comparison = { differing: number; total: number; picture?: Buffer };

/** Channels that differ by less are the same to the eye; text is drawn with such differences now and then. */
const TOLERANCE = 8;

/** Counts pixels that differ. The picture shows the second in grey and what differs in red. */
export async function comparePictures(first: Buffer, second: Buffer): Promise<Comparison> {
  const [a, b] = await Promise.all([readPixels(first), readPixels(second)]);
  if (a.width === b.width && a.data.equals(b.data)) return { differing: 0, total: a.width * a.height };
  const width = Math.max(a.width, b.width);
  const height = Math.max(a.height, b.height);
  const marked = Buffer.alloc(width * height * 3, 255);
  let differing = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const p = at(a, x, y);
      const q = at(b, x, y);
      const isSame = p !== undefined && q !== undefined && isNear(a.data, p, b.data, q);
      if (!isSame) differing++;
      const grey = q === undefined ? 255 : 160 + Math.round((b.data[q] ?? 0) * 0.35);
      marked.set(isSame ? [grey, grey, grey] : [220, 0, 0], (y * width + x) * 3);
    }
  const total = width * height;
  if (differing === 0) return { differing, total };
  const picture = await sharp(marked, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  return { differing, total, picture };
}

type Pixels = { data: Buffer; width: number; height: number };

async function readPixels(picture: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function at({ width, height }: Pixels, x: number, y: number): number | undefined {
  return x < width && y < height ? (y * width + x) * 3 : undefined;
}

function isNear(a: Buffer, p: number, b: Buffer, q: number): boolean {
  for (let i = 0; i < 3; i++) if (Math.abs((a[p + i] ?? 0) - (b[q + i] ?? 0)) > TOLERANCE) return false;
  return true;
}
