import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../ui/badge.tsx';
import { Diff } from '../../ui/diff.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { changedFiles, type FileChange, type Folder, type FolderFile, sizeOf } from './folder.ts';
import { folderQuery } from './queries.ts';

const TONES = { added: 'success', removed: 'danger', changed: 'accent', moved: 'violet' } as const;

/** Changes between two versions: description, instructions and files. */
export function Compare({ id, before, after }: { id: string; before: number; after: number }) {
  const left = useQuery(folderQuery(id, before));
  const right = useQuery(folderQuery(id, after));
  return (
    <Loaded query={left}>
      {(old) => <Loaded query={right}>{(now) => <Changes before={old} after={now} />}</Loaded>}
    </Loaded>
  );
}

function Changes({ before, after }: { before: Folder; after: Folder }) {
  const changes = changedFiles(before, after);
  const same = after.files.length - changes.filter(({ kind }) => kind !== 'removed').length;
  const texts = (['description', 'body'] as const).filter((part) => before[part] !== after[part]);
  if (texts.length === 0 && changes.length === 0) return <p className="muted">No differences.</p>;
  return (
    <div className="stack">
      {texts.map((part) => (
        <section key={part} className="stack-tight">
          <h3>{part === 'description' ? 'Description' : 'Instructions'}</h3>
          <Diff label={`Changes to ${part}`} before={before[part]} after={after[part]} />
        </section>
      ))}
      {changes.map((change) => (
        <FileChanges key={change.path} change={change} />
      ))}
      {same > 0 && <p className="small muted">{same === 1 ? '1 file' : `${same} files`} unchanged.</p>}
    </div>
  );
}

function FileChanges({ change: { path, kind, before, after } }: { change: FileChange }) {
  const flag =
    before && after && before.isExecutable !== after.isExecutable
      ? after.isExecutable
        ? 'now executable'
        : 'no longer executable'
      : undefined;
  const [old, now] = [textOf(before), textOf(after)];
  return (
    <section className="stack-tight">
      <h3 className="row">
        <code className="breakable">{path}</code>
        <Badge tone={TONES[kind]}>{kind === 'moved' ? `moved from ${before?.path}` : kind}</Badge>
        {flag && <Badge tone="violet">{flag}</Badge>}
      </h3>
      {kind === 'moved' ? null : old === undefined || now === undefined ? (
        <p className="muted">
          A binary file: {[before, after].flatMap((file) => (file ? formatBytes(sizeOf(file)) : [])).join(', then ')}.
        </p>
      ) : (
        old !== now && <Diff label={`Changes to ${path}`} before={old} after={now} />
      )}
    </section>
  );
}

/** A missing file counts as empty, so a new one is all added and a deleted one all removed. */
function textOf(file: FolderFile | undefined): string | undefined {
  if (!file) return '';
  return 'text' in file.content ? file.content.text : undefined;
}
