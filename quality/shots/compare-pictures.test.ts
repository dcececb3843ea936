import sharp from 'sharp';
import { expect, it } from 'vitest';
import { comparePictures } from './compare-pictures.ts';

const picture = (width: number, height: number, colour: string) =>
  sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer();

it('counts the pixels that differ, also where one picture is larger', async () => {
  const white = await picture(4, 3, '#ffffff');
  expect(await comparePictures(white, white)).toEqual({ differing: 0, total: 12 });
  expect(await comparePictures(white, await picture(4, 3, '#fbfbfb'))).toEqual({ differing: 0, total: 12 });
  expect(await comparePictures(white, await picture(4, 5, '#ffffff'))).toMatchObject({ differing: 8, total: 20 });
  const { differing, picture: marked } = await comparePictures(white, await picture(4, 3, '#000000'));
  expect(differing).toBe(12);
  const { data } = await sharp(marked).raw().toBuffer({ resolveWithObject: true });
  expect([...data.subarray(0, 3)]).toEqual([220, 0, 0]);
});
