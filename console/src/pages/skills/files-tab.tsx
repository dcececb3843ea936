import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { VersionSelect } from '../../registry/history.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FileTree } from './file-tree.tsx';
import { FileView, SkillMdView } from './file-view.tsx';
import { describeFinding, type Finding, locationOf, pathOf } from './findings.ts';
import { type Folder, SKILL_FILE } from './folder.ts';
import { findingsQuery, folderQuery, type SkillVersion } from './queries.ts';
import styles from './skills.module.css';

type Props = {
  id: string;
  name: string;
  versions: readonly SkillVersion[];
  version: number;
  onShow: (version: number) => void;
  onEdit: (folder: Folder) => void;
};

/** The files of one version, with the findings of the intake scan. */
export function FilesTab({ id, name, versions, version, onShow, onEdit }: Props) {
  const folder = useQuery(folderQuery(id, version));
  const scan = useQuery(findingsQuery(id, version));
  const [selected, setSelected] = useState(SKILL_FILE);
  const [at, setAt] = useState<Finding>();
  const findings = scan.data ?? [];
  const notes = versions.find((one) => one.version === version)?.notes;
  return (
    <>
      {findings.length > 0 && (
        <FindingList
          findings={findings}
          onSelect={(finding) => {
            setSelected(pathOf(finding));
            setAt(finding);
          }}
        />
      )}
      {scan.isError && <ErrorNotice error={scan.error} />}
      <Card
        title="Files"
        flush
        actions={
          <>
            <VersionSelect label="Version" hideLabel versions={versions} value={version} onChange={onShow} />
            <Button icon="edit" disabled={!folder.data} onClick={() => folder.data && onEdit(folder.data)}>
              Edit
            </Button>
          </>
        }
        footer={notes && <span className="muted breakable">{notes}</span>}
      >
        <Loaded query={folder} padded>
          {({ files, ...text }) => {
            const file = files.find(({ path }) => path === selected);
            const seen = `${scan.isSuccess} ${at && locationOf(at)}`;
            const of = (path: string) => findings.filter((finding) => pathOf(finding) === path);
            return (
              <div className={styles.folder}>
                <FileTree
                  files={files}
                  selected={file ? selected : SKILL_FILE}
                  onSelect={(path) => {
                    setSelected(path);
                    setAt(undefined);
                  }}
                  mark={(path) => <FindingCount count={of(path).length} />}
                />
                <div className={styles.pane}>
                  {/* The key remounts the view when findings arrive or one is chosen, since they open the source view. */}
                  {file ? (
                    <FileView key={`${selected} ${seen}`} file={file} findings={of(selected)} at={at} />
                  ) : (
                    <SkillMdView key={seen} name={name} folder={{ ...text, files }} findings={findings} at={at} />
                  )}
                </div>
              </div>
            );
          }}
        </Loaded>
      </Card>
    </>
  );
}

const SHOWN_MAX = 20;

function FindingList({ findings, onSelect }: { findings: readonly Finding[]; onSelect: (finding: Finding) => void }) {
  return (
    <Notice tone="warning">
      <p>
        <strong>
          {findings.length === 1
            ? 'The intake scan found 1 issue.'
            : `The intake scan found ${findings.length} issues.`}
        </strong>{' '}
        Review them before use: agents follow a skill’s instructions.
      </p>
      <ul className={styles.findingList}>
        {findings.slice(0, SHOWN_MAX).map((finding) => (
          <li key={`${finding.rule} ${finding.file} ${finding.line}`}>
            <button type="button" className="breakable" onClick={() => onSelect(finding)}>
              {locationOf(finding)}
            </button>{' '}
            {describeFinding(finding)}
          </li>
        ))}
        {findings.length > SHOWN_MAX && <li>and {findings.length - SHOWN_MAX} more</li>}
      </ul>
    </Notice>
  );
}

function FindingCount({ count }: { count: number }) {
  if (count === 0) return null;
  return <Badge tone="warning">{count === 1 ? '1 finding' : `${count} findings`}</Badge>;
}
