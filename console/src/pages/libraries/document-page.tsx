import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { ScrollBox } from '../../ui/scroll-box.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { DocumentState } from './document-state.tsx';
import { useDocumentActions } from './documents-page.tsx';
import styles from './libraries.module.css';
import { OriginalPicture } from './original-picture.tsx';
import { Passages } from './passages.tsx';
import {
  chunksQuery,
  type Document,
  type DocumentTextContent,
  documentPath,
  documentQuery,
  libraryQuery,
  type Passage,
  textQuery,
} from './queries.ts';
import { splitPage } from './split-page.ts';

const route = getRouteApi('/shell/libraries/$libraryId/documents/$documentId');

export function DocumentPage() {
  const { libraryId, documentId } = route.useParams();
  const query = useQuery(documentQuery(libraryId, documentId));
  return <Loaded query={query}>{(document) => <Shown document={document} />}</Loaded>;
}

function Shown({ document }: { document: Document }) {
  const { library_id: libraryId, id, name, url } = document;
  const { data: library } = useQuery(libraryQuery(libraryId));
  const navigate = route.useNavigate();
  const toast = useToast();
  const { again, remove } = useDocumentActions(libraryId, id, name, () =>
    navigate({ to: '/libraries/$libraryId', params: { libraryId } }),
  );
  const openOriginal = async () => {
    try {
      location.assign(await api.get<string>(`${documentPath(libraryId, id)}/signed-url`));
    } catch (error) {
      toast.error(error);
    }
  };
  return (
    <Page
      wide
      title={name}
      lead={document.summary}
      crumbs={
        <>
          <Link to="/libraries">Libraries</Link>
          <span aria-hidden="true">/</span>
          <Link to="/libraries/$libraryId" params={{ libraryId }}>
            {library?.name ?? 'Library'}
          </Link>
        </>
      }
      actions={
        <>
          <Button icon="download" onClick={() => void openOriginal()}>
            Download original
          </Button>
          <Menu
            label={`Actions of ${name}`}
            items={[
              { label: 'Read again', onSelect: () => again.mutate() },
              { label: 'Delete', danger: true, onSelect: () => remove() },
            ]}
          />
        </>
      }
    >
      <Card>
        <Facts
          facts={[
            ['State', <DocumentState key="state" document={document} />],
            ['Type', document.mime_type ?? document.extension ?? 'Unknown'],
            ...(document.size === null ? [] : [['Size', formatBytes(document.size)] as const]),
            ...(document.number_of_pages ? [['Pages', formatNumber(document.number_of_pages)] as const] : []),
            ...(url ? [['Address', <Address key="address" url={url} />] as const] : []),
            ['Added', <Time key="added" value={document.created_at} />],
          ]}
        />
      </Card>
      {document.process_status === 'done' && <Contents key={document.last_processed_at} document={document} />}
    </Page>
  );
}

function Address({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="breakable">
      {url}
    </a>
  );
}

/** A page of the document beside its passages; the chosen one is marked in the page. */
function Contents({ document }: { document: Document }) {
  const { page: given = 1, passage: position, quote } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = Math.max(1, document.number_of_pages ?? 1);
  const page = Math.min(Math.max(1, given), pages);
  const query = useQuery(chunksQuery(document, page - 1));
  const passages = query.data?.data ?? [];
  const chosen = passages.find(
    (one) => one.position === position || (position === undefined && quote && sameText(one.text, quote)),
  );
  const go = (to: { page: number; passage?: number }) => void navigate({ search: to, replace: true });
  const isPicture = document.mime_type?.startsWith('image/') ?? false;
  return (
    <div className={styles.document}>
      <Card
        title={pages > 1 ? `Page ${formatNumber(page)} of ${formatNumber(pages)}` : 'Text'}
        actions={
          pages > 1 && (
            <>
              <Button small disabled={page <= 1} onClick={() => go({ page: page - 1 })}>
                Previous page
              </Button>
              <Button small disabled={page >= pages} onClick={() => go({ page: page + 1 })}>
                Next page
              </Button>
            </>
          )
        }
      >
        {isPicture && <OriginalPicture document={document} boxes={chosen?.boxes ?? []} />}
        <PageText document={document} page={page - 1} passage={chosen} />
      </Card>
      <Card title="Passages" flush>
        <Loaded query={query} padded>
          {({ data, has_more }) => (
            <Passages
              passages={data}
              isCut={has_more}
              chosen={chosen}
              onChoose={(passage) => go({ page, passage: passage.position })}
            />
          )}
        </Loaded>
      </Card>
    </div>
  );
}

/** A citation has the beginning of the passage, in which spaces may differ. */
function sameText(text: string, quote: string): boolean {
  const plain = (value: string) => value.replace(/\s+/g, ' ').trim();
  return plain(text).startsWith(plain(quote));
}

function PageText({ document, page, passage }: { document: Document; page: number; passage: Passage | undefined }) {
  const query = useQuery(textQuery(document, page));
  const box = useRef<HTMLDivElement>(null);
  const text = query.data?.text;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text or passage is another place.
  useEffect(() => {
    const mark = box.current?.querySelector<HTMLElement>('[data-testid=mark]');
    if (box.current && mark) box.current.scrollTop = mark.offsetTop - box.current.clientHeight / 3;
  }, [text, passage?.position]);
  return (
    <Loaded query={query} lines={8}>
      {({ text: markdown, left_out }) => {
        const split = passage && splitPage(markdown, passage.text);
        return (
          <div className="stack">
            <ScrollBox ref={box} label="Text of the page" className={styles.documentText}>
              {split ? (
                <>
                  <Markdown text={split.before} />
                  <div className={styles.documentMark} data-testid="mark">
                    <Markdown text={split.passage} />
                  </div>
                  <Markdown text={split.after} />
                </>
              ) : (
                <Markdown text={markdown} />
              )}
            </ScrollBox>
            <LeftOut texts={left_out} />
          </div>
        );
      }}
    </Loaded>
  );
}

/** What stands on the page beside its text, and is not searched. */
function LeftOut({ texts }: { texts: DocumentTextContent['left_out'] }) {
  if (!texts)
    return (
      <p className="small muted">
        Headers and footers that were left out were not kept when this was read. Read the document again to see them.
      </p>
    );
  if (texts.length === 0) return <p className="small muted">No header or footer was left out of this page.</p>;
  return (
    <details className={`${styles.leftOut} small`}>
      <summary>{`Left out: headers and footers (${formatNumber(texts.length)})`}</summary>
      <ul>
        {texts.map(({ text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one page.
          <li key={at} className="breakable">
            {text}
          </li>
        ))}
      </ul>
    </details>
  );
}
