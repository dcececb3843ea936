import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/api.ts';
import { Loaded } from '../../ui/loaded.tsx';
import styles from './libraries.module.css';
import { type Document, documentPath, librariesKey, type Passage } from './queries.ts';

/** The original, with the place of the chosen passage. The link serves plain bytes, so the type is set here. */
export function OriginalPicture({ document, boxes }: { document: Document; boxes: Passage['boxes'] }) {
  const { id, library_id, name, mime_type, hash } = document;
  const query = useQuery({
    queryKey: [...librariesKey, 'original', id, hash],
    queryFn: async ({ signal }) => {
      const { pathname, search } = new URL(await api.get<string>(`${documentPath(library_id, id)}/signed-url`));
      const bytes = await (await api.raw('GET', pathname + search, undefined, { signal })).arrayBuffer();
      return new Blob([bytes], { type: mime_type ?? '' });
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} lines={6}>
      {(blob) => <Picture blob={blob} name={name} boxes={boxes} />}
    </Loaded>
  );
}

function Picture({ blob, name, boxes }: { blob: Blob; name: string; boxes: Passage['boxes'] }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (!url) return null;
  return (
    <div className={styles.original}>
      <img src={url} alt={`Original of ${name}`} />
      {boxes.map(({ x0, y0, x1, y1 }) => (
        <span
          key={`${x0} ${y0} ${x1} ${y1}`}
          className={styles.originalBox}
          style={{ left: percent(x0), top: percent(y0), width: percent(x1 - x0), height: percent(y1 - y0) }}
        />
      ))}
    </div>
  );
}

const percent = (part: number) => `${part * 100}%`;
