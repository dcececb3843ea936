import { type ReactNode, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { AddFiles } from './add-files.tsx';
import { FileEditor } from './file-editor.tsx';
import { FileTree } from './file-tree.tsx';
import { pathOf, type Refusal, refusalsOf } from './findings.ts';
import { changedFiles, emptyFolder, type Folder, isSameText, limits, SKILL_FILE, totalOf } from './folder.ts';
import { SkillMdEditor } from './skill-md-editor.tsx';
import styles from './skills.module.css';

type Props = {
  title: string;
  original: Folder;
  folder: Folder;
  onFolder: (folder: Folder) => void;
  /** The server's error; problems of a file are shown beside the file. */
  error: unknown;
  onSubmit: () => void;
  head?: ReactNode;
  fields: ReactNode;
  buttons: ReactNode;
};

/** Edits a skill; nothing is stored before submit. */
export function SkillEditor({ title, original, folder, onFolder, error, onSubmit, head, fields, buttons }: Props) {
  const [selected, setSelected] = useState(SKILL_FILE);
  const refusals = refusalsOf(error, folder);
  const file = folder.files.find(({ path }) => path === selected);
  const changes = new Map(changedFiles(original, folder).map(({ path, kind }) => [path, kind]));
  const mark = (path: string) => {
    if (refusals.some((refusal) => pathOf(refusal) === path)) return <Badge tone="danger">rejected</Badge>;
    // In a new skill every file is new.
    if (original === emptyFolder) return null;
    if (path === SKILL_FILE) return isSameText(original, folder) ? null : <Badge>changed</Badge>;
    const kind = changes.get(path);
    return kind && <Badge tone={kind === 'added' ? 'success' : 'neutral'}>{kind === 'added' ? 'new' : kind}</Badge>;
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {head}
      <Card
        title={title}
        flush
        actions={<AddFiles folder={folder} onFolder={onFolder} onSelect={setSelected} />}
        footer={<Limits folder={folder} />}
      >
        <div className={styles.folder}>
          <FileTree files={folder.files} selected={file ? selected : SKILL_FILE} onSelect={setSelected} mark={mark} />
          <div className={styles.pane}>
            {file ? (
              <FileEditor
                key={selected}
                file={file}
                folder={folder}
                onFolder={onFolder}
                onSelect={setSelected}
                error={messageAt(refusals, `assets/${selected}`)}
              />
            ) : (
              <SkillMdEditor
                folder={folder}
                onFolder={onFolder}
                descriptionError={messageAt(refusals, 'description')}
                bodyError={messageAt(refusals, 'body')}
              />
            )}
          </div>
        </div>
      </Card>
      {fields}
      {refusals.length === 0 ? <ErrorNotice error={error} /> : <RefusalList {...{ refusals }} onSelect={setSelected} />}
      <div className="row row-end">{buttons}</div>
    </form>
  );
}

function messageAt(refusals: readonly Refusal[], at: string): ReactNode {
  const messages = refusals.filter(({ file }) => file === at).map(({ message }) => message);
  return messages.length === 0 ? undefined : <span className="breakable">{messages.join(' · ')}</span>;
}

function RefusalList({ refusals, onSelect }: { refusals: readonly Refusal[]; onSelect: (path: string) => void }) {
  return (
    <div role="alert">
      <Notice tone="danger">
        <p>
          <strong>The skill was rejected.</strong> Fix these problems and save again.
        </p>
        <ul className={styles.findingList}>
          {refusals.map((refusal) => (
            <li key={`${refusal.file} ${refusal.message}`}>
              <button type="button" className="breakable" onClick={() => onSelect(pathOf(refusal))}>
                {pathOf(refusal)}
              </button>{' '}
              {refusal.message}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

const KIB = 1024;
const MIB = KIB * KIB;

function Limits({ folder }: { folder: Folder }) {
  return (
    <span className="small muted">
      {folder.files.length} of {limits.files} files, {formatNumber(Math.ceil(totalOf(folder) / KIB))} KiB of{' '}
      {limits.totalBytes / MIB} MiB; up to {limits.fileBytes / MIB} MiB per file.
    </span>
  );
}
