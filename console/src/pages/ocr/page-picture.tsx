import { useEffect, useState } from 'react';
import styles from './ocr.module.css';
import type { Block, OcrPageResult } from './read-document.ts';

type Props = {
  page: OcrPageResult;
  picture: Blob | undefined;
  chosen: number | undefined;
  onChoose: (index: number) => void;
};

/** The page with a box around each block; choosing one shows its text. A PDF is drawn by its blocks alone. */
export function PagePicture({ page, picture, chosen, onChoose }: Props) {
  const url = useObjectUrl(picture);
  const { width = 1, height = 1 } = page.dimensions ?? {};
  return (
    <div className={styles.picture} style={{ aspectRatio: `${width} / ${height}` }}>
      {url && <img src={url} alt={`Page ${page.index + 1}`} />}
      {(page.blocks ?? []).map((block, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks have a place in the page and no id.
          key={index}
          type="button"
          className={styles.box}
          aria-pressed={chosen === index}
          aria-label={`${block.type}: ${block.content.slice(0, 60) || 'no text'}`}
          style={placeOf(block, width, height)}
          onClick={() => onChoose(index)}
        >
          {!url && <span aria-hidden="true">{block.content}</span>}
        </button>
      ))}
    </div>
  );
}

function placeOf(block: Block, width: number, height: number) {
  const part = (value: number, of: number) => `${(value / of) * 100}%`;
  return {
    left: part(block.top_left_x, width),
    top: part(block.top_left_y, height),
    width: part(block.bottom_right_x - block.top_left_x, width),
    height: part(block.bottom_right_y - block.top_left_y, height),
  };
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return blob && url;
}
