import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Segments } from '../../ui/segments.tsx';
import { download } from './download.ts';
import type { Finding } from './findings.ts';
import { bytesOf, type Folder, type FolderFile, SKILL_FILE, sizeOf } from './folder.ts';
import styles from './skills.module.css';
import { FindingNote, SourceLines } from './source-lines.tsx';

type Look = 'preview' | 'source';
const LOOKS = [
  { value: 'preview', label: 'Preview' },
  { value: 'source', label: 'Source' },
] as const;

/** `at` is the finding to scroll to. */
type SkillProps = { name: string; folder: Folder; findings: readonly Finding[]; at: Finding | undefined };

export function SkillMdView({ name, folder, findings, at }: SkillProps) {
  const linesOf = (part: 'description' | 'body') => ({
    text: folder[part],
    findings: findings.filter(({ file }) => file === part),
    line: at?.file === part ? at.line : undefined,
  });
  // Findings refer to source lines, so they open the source view.
  const [look, setLook] = useState<Look>(findings.some(({ file }) => isPart(file)) ? 'source' : 'preview');
  return (
    <>
      <div className={styles.paneHead}>
        <h3 className="grow">{SKILL_FILE}</h3>
        <Segments label="SKILL.md view" options={LOOKS} value={look} onChange={setLook} />
        <CopyButton small iconOnly text={folder.body} label="Copy instructions" />
      </div>
      {look === 'preview' ? (
        <div className={styles.preview}>
          <Facts
            facts={[
              ['name', <code key="name">{name}</code>],
              ['description', <span key="text">{folder.description || <em className="muted">none</em>}</span>],
            ]}
          />
          {folder.body === '' ? <p className="muted">No instructions.</p> : <Markdown text={folder.body} />}
        </div>
      ) : (
        <>
          <h4 className="small muted">Description</h4>
          <SourceLines label="Description, line by line" {...linesOf('description')} />
          <h4 className="small muted">Instructions</h4>
          <SourceLines label="Instructions, line by line" {...linesOf('body')} />
        </>
      )}
    </>
  );
}

type FileProps = { file: FolderFile; findings: readonly Finding[]; at: Finding | undefined };

export function FileView({ file, findings, at }: FileProps) {
  const { path, content, isExecutable } = file;
  const isMarkdown = 'text' in content && /\.(md|markdown)$/i.test(path);
  const [look, setLook] = useState<Look>(isMarkdown && findings.length === 0 ? 'preview' : 'source');
  return (
    <>
      <div className={styles.paneHead}>
        <h3 className="grow breakable">{path}</h3>
        {isExecutable && <Badge tone="violet">executable</Badge>}
        <span className="small muted">{formatBytes(sizeOf(file))}</span>
        {isMarkdown && <Segments label="File view" options={LOOKS} value={look} onChange={setLook} />}
        {'text' in content && <CopyButton small iconOnly text={content.text} label={`Copy ${path}`} />}
        <Button small look="quiet" icon="download" iconOnly onClick={() => save(file)}>
          {`Download ${path}`}
        </Button>
      </div>
      {findings
        .filter(({ line }) => line === 0 || !('text' in content))
        .map((finding) => (
          <FindingNote key={`${finding.rule} ${finding.line}`} finding={finding} />
        ))}
      {!('text' in content) ? (
        <BinaryNote file={file} />
      ) : look === 'preview' ? (
        <div className={styles.preview}>
          <Markdown text={content.text} />
        </div>
      ) : (
        <SourceLines label={`${path}, line by line`} text={content.text} findings={findings} line={at?.line} />
      )}
    </>
  );
}

export function BinaryNote({ file }: { file: FolderFile }) {
  return (
    <EmptyState
      icon="file"
      title="Binary file"
      action={
        <Button icon="download" onClick={() => save(file)}>
          Download
        </Button>
      }
    >
      {formatBytes(sizeOf(file))}. Binary content cannot be displayed.
    </EmptyState>
  );
}

const isPart = (file: string) => file === 'description' || file === 'body';
const save = (file: FolderFile) => download(file.path.split('/').at(-1) ?? file.path, bytesOf(file));
