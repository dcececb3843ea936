import sharp from 'sharp';

const RADIUS = 18;
const BORDERS = { light: '#c9d3d8', dark: '#3a474e' };

/** A screenshot with round corners and a thin border, so that it stands apart from any page around it. */
export async function savePicture(png: Buffer, file: string, theme: 'light' | 'dark'): Promise<void> {
  const { width = 0, height = 0 } = await sharp(png).metadata();
  const svg = (inside: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${inside}</svg>`);
  const shape = (more: string) =>
    `<rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="${RADIUS}" ${more}/>`;
  await sharp(png)
    .ensureAlpha()
    .composite([
      { input: svg(shape('fill="#fff"')), blend: 'dest-in' },
      { input: svg(shape(`fill="none" stroke="${BORDERS[theme]}" stroke-width="2"`)) },
    ])
    .webp({ quality: 82, effort: 6, smartSubsample: true })
    .toFile(file);
}
