import { Link } from '@tanstack/react-router';
import type { Source } from '../api/answer.ts';
import styles from './sources.module.css';

const DOCUMENT = /\/v1\/libraries\/([0-9a-f-]{36})\/documents\/([0-9a-f-]{36})$/;
/** Enough of a passage to find it again, short enough for an address. */
const QUOTE_CHARACTERS = 120;

/** What an answer cites. A document of a library opens here, at the cited passage. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  if (sources.length === 0) return null;
  return (
    <ol className={styles.sources} aria-label="Sources">
      {sources.map((source, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sources are numbered by position.
        <li key={at}>
          <SourceLink source={source} />
        </li>
      ))}
    </ol>
  );
}

function SourceLink({ source: { title, url, description } }: { source: Source }) {
  const [, libraryId, documentId] = DOCUMENT.exec(url ?? '') ?? [];
  if (libraryId && documentId)
    return (
      <Link
        to="/libraries/$libraryId/documents/$documentId"
        params={{ libraryId, documentId }}
        search={placeOf(title, description)}
        title={description}
      >
        {title}
      </Link>
    );
  if (!url) return <span title={description}>{title}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" title={description}>
      {title}
    </a>
  );
}

/** The title of a citation names the page. */
function placeOf(title: string, description: string | undefined): { page?: number; quote?: string } {
  const page = Number(/^.*, page (\d+)(?:,|$)/.exec(title)?.[1]);
  return {
    ...(page > 0 ? { page } : {}),
    ...(description ? { quote: description.slice(0, QUOTE_CHARACTERS) } : {}),
  };
}
