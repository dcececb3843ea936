import sharp, { type Sharp } from 'sharp';
import type { Box } from '../layout/geometry.ts';

/** Rows of pixels from the top, `channels` bytes each. */
export type Bitmap = { data: Buffer; width: number; height: number; channels: 1 | 3 | 4 };

export function toSharp({ data, width, height, channels }: Bitmap): Sharp {
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
}

export async function toBitmap(image: Sharp): Promise<Bitmap> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels as Bitmap['channels'] };
}

export async function cutOut(bitmap: Bitmap, box: Box): Promise<Buffer> {
  const left = Math.max(0, Math.floor(box.x0));
  const top = Math.max(0, Math.floor(box.y0));
  const width = Math.max(1, Math.min(bitmap.width, Math.ceil(box.x1)) - left);
  const height = Math.max(1, Math.min(bitmap.height, Math.ceil(box.y1)) - top);
  return toSharp(bitmap)
    .extract({ left, top, width, height })
    .flatten({ background: '#fff' })
    .jpeg({ quality: 85 })
    .toBuffer();
}

/** Paints over a part of a grey picture. */
export function whiteOut(grey: Bitmap, box: Box, margin = 0): void {
  const [x0, x1] = [Math.max(0, Math.floor(box.x0 - margin)), Math.min(grey.width, Math.ceil(box.x1 + margin))];
  const [y0, y1] = [Math.max(0, Math.floor(box.y0 - margin)), Math.min(grey.height, Math.ceil(box.y1 + margin))];
  for (let y = y0; y < y1; y++) grey.data.fill(255, y * grey.width + x0, y * grey.width + x1);
}
