import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModelCard } from '../../../../src/models/schema.ts';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DropField } from '../../ui/drop-field.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Progress } from '../../ui/progress.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Segments } from '../../ui/segments.tsx';
import styles from './ocr.module.css';
import { PagePicture } from './page-picture.tsx';
import { markdownOf, type ReadDocument, readDocument } from './read-document.ts';

const ocrModels = {
  queryKey: ['models', 'ocr'],
  queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
  select: ({ data = [] }: { data?: ModelCard[] }) =>
    data.filter((card) => card.capabilities.ocr && !('alias_of' in card)).map(({ id }) => id),
};

export function OcrPage() {
  const models = useQuery(ocrModels);
  const [chosen, setModel] = useState('');
  const model = chosen || models.data?.[0] || '';
  const read = useMutation({ mutationFn: (file: File) => readDocument(file, model) });
  return (
    <Page
      wide
      title="OCR"
      lead="Reads a picture or a PDF: text, titles and tables as Markdown, with their places."
      actions={
        (models.data?.length ?? 0) > 1 && (
          <SelectField
            hideLabel
            label="Model"
            options={(models.data ?? []).map((id) => ({ value: id, label: id }))}
            value={model}
            onChange={setModel}
          />
        )
      }
    >
      <DropField
        label="Document"
        accept="image/*,application/pdf"
        busy={read.isPending}
        onFiles={([file]) => file && read.mutate(file)}
      >
        Drop a picture or a PDF here. <span className="muted">It is deleted after reading.</span>
      </DropField>
      {models.data?.length === 0 && (
        <Card>
          <EmptyState icon="model" title="No model reads documents here">
            The operator adds one on the page Models, or enables the built-in reader.
          </EmptyState>
        </Card>
      )}
      {read.isPending && <Progress label={`Reading ${read.variables.name}`} />}
      {read.isError && <ErrorState error={read.error} />}
      {read.data && <Result key={read.submittedAt} result={read.data} />}
    </Page>
  );
}

function Result({ result }: { result: ReadDocument }) {
  const [no, setNo] = useState(1);
  const [block, setBlock] = useState<number>();
  const [view, setView] = useState<'page' | 'block' | 'source'>('page');
  const page = result.pages[no - 1];
  if (!page) return <EmptyState icon="file" title="The document has no pages" />;
  const chosen = block === undefined ? undefined : page.blocks?.[block];
  const text = view === 'block' ? (chosen?.content ?? '') : page.markdown;
  return (
    <div className={styles.columns}>
      <Card
        title={result.name}
        footer={
          result.pages.length > 1 && (
            <Pager
              page={no}
              pageSize={1}
              total={result.pages.length}
              onPage={(next) => {
                setNo(next);
                setBlock(undefined);
                setView('page');
              }}
            />
          )
        }
      >
        <PagePicture
          page={page}
          picture={result.pages.length === 1 ? result.picture : undefined}
          chosen={block}
          onChoose={(index) => {
            setBlock(index);
            setView('block');
          }}
        />
      </Card>
      <Card
        title="Text"
        actions={
          <>
            <Segments
              label="View"
              options={[
                { value: 'page', label: 'Page' },
                { value: 'source', label: 'Markdown' },
                ...(chosen ? [{ value: 'block' as const, label: 'Block' }] : []),
              ]}
              value={view}
              onChange={setView}
            />
            <CopyButton small text={text} label="Copy" />
            <Button
              small
              icon="download"
              onClick={() => saveFile(`${result.name}.md`, new Blob([markdownOf(result)], { type: 'text/markdown' }))}
            >
              Download
            </Button>
          </>
        }
      >
        {view === 'block' && chosen && <Badge>{chosen.type.replaceAll('_', ' ')}</Badge>}
        {text.trim() === '' ? (
          <p className="muted">No text was found.</p>
        ) : view === 'source' ? (
          <pre className={styles.source}>{text}</pre>
        ) : (
          <Markdown text={text} />
        )}
      </Card>
    </div>
  );
}
