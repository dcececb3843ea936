import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { LibraryPassage } from '../../../../src/libraries/schema.ts';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Frame } from './frame.tsx';
import styles from './libraries.module.css';
import { markWords } from './mark-words.ts';
import { librariesKey, libraryPath } from './queries.ts';

const route = getRouteApi('/shell/libraries/$libraryId/search');

const MODES = [
  { value: 'hybrid', label: 'Words and meaning' },
  { value: 'text', label: 'Words' },
  { value: 'vector', label: 'Meaning' },
] as const;
type Mode = (typeof MODES)[number]['value'];

const HITS = 20;

export function SearchPage() {
  const { libraryId } = route.useParams();
  return <Frame libraryId={libraryId}>{() => <Search libraryId={libraryId} />}</Frame>;
}

function Search({ libraryId }: { libraryId: string }) {
  const { query = '', mode: given } = route.useSearch();
  const mode: Mode = MODES.find(({ value }) => value === given)?.value ?? 'hybrid';
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(query);
  const set = (part: { query?: string; mode?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') set({ query: typed.trim() });
  };
  return (
    <>
      <form className={styles.search} onSubmit={submit}>
        <TextField
          label="What to look for"
          hideLabel
          placeholder="Words, or a question"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" look="primary" icon="search" disabled={typed.trim() === ''}>
          Search
        </Button>
        <Segments label="Search by" options={MODES} value={mode} onChange={(chosen) => set({ mode: chosen })} />
      </form>
      {query === '' ? (
        <Card>
          <EmptyState icon="search" title="Try what is found">
            The passages that a model would be given, best first, with how well they fit.
          </EmptyState>
        </Card>
      ) : (
        <Hits libraryId={libraryId} query={query} mode={mode} />
      )}
    </>
  );
}

function Hits({ libraryId, query, mode }: { libraryId: string; query: string; mode: Mode }) {
  const found = useQuery({
    queryKey: [...librariesKey, 'search', libraryId, query, mode],
    queryFn: ({ signal }) =>
      api.post<{ data: LibraryPassage[] }>(
        `${libraryPath(libraryId)}/search`,
        { query, mode, top_k: HITS },
        { signal },
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <Card flush>
      <Loaded query={found} padded>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon="search" title="Nothing was found">
              Try other words. A document is found by its meaning once it is ready and embedded.
            </EmptyState>
          ) : (
            <ol className={styles.hits} aria-label="Passages">
              {data.map((hit) => (
                <li key={hit.chunk_id}>
                  <HitView hit={hit} query={query} best={data[0]?.score ?? hit.score} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

function HitView({ hit, query, best }: { hit: LibraryPassage; query: string; best: number }) {
  const position = Number(hit.chunk_id.slice(hit.chunk_id.lastIndexOf(':') + 1));
  const place = [hit.page === null ? undefined : `page ${hit.page + 1}`, ...hit.headings].filter(Boolean);
  return (
    <article className={styles.hit}>
      <div className="row row-between">
        <h2 className={styles.hitTitle}>
          <Link
            to="/libraries/$libraryId/documents/$documentId"
            params={{ libraryId: hit.library_id, documentId: hit.document_id }}
            search={{ ...(hit.page === null ? {} : { page: hit.page + 1 }), passage: position }}
          >
            {hit.document_name}
          </Link>
        </h2>
        <Scores hit={hit} best={best} />
      </div>
      {place.length > 0 && <p className="small muted breakable">{place.join(' › ')}</p>}
      <p className={styles.hitText}>
        {markWords(hit.text, query).map(({ text, isHit }, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text.
          isHit ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
        )}
      </p>
    </article>
  );
}

/** How well it fits by words and by meaning; the bar compares it with the best one. */
function Scores({ hit: { score, scores }, best }: { hit: LibraryPassage; best: number }) {
  const parts = [
    ['Words', scores.text],
    ['Meaning', scores.vector],
    ['Reranked', scores.rerank],
  ] as const;
  return (
    <div className="row">
      {parts.map(([name, value]) =>
        value === null ? null : <Badge key={name}>{`${name} ${formatScore(value)}`}</Badge>,
      )}
      <meter className={styles.hitMeter} min={0} max={1} value={best > 0 ? score / best : 0} aria-label="Score">
        {formatScore(score)}
      </meter>
      <span className="small muted numbers">{formatScore(score)}</span>
    </div>
  );
}

const formatScore = (value: number): string => value.toFixed(Math.abs(value) < 1 ? 3 : 1);
