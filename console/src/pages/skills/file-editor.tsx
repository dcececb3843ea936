import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { CheckField, TextAreaField } from '../../ui/field.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { BinaryNote } from './file-view.tsx';
import {
  type Folder,
  type FolderFile,
  keepLineEnds,
  putFile,
  removeFile,
  renameFile,
  SKILL_FILE,
  sizeOf,
} from './folder.ts';
import { PathDialog } from './path-dialog.tsx';
import styles from './skills.module.css';

type Props = {
  file: FolderFile;
  folder: Folder;
  onFolder: (folder: Folder) => void;
  onSelect: (path: string) => void;
  error: ReactNode;
};

export function FileEditor({ file, folder, onFolder, onSelect, error }: Props) {
  const confirm = useConfirm();
  const [isRenaming, setRenaming] = useState(false);
  const { path, content, isExecutable } = file;
  const remove = async () => {
    const body = 'It is removed from the next version. Earlier versions keep it.';
    if (!(await confirm({ title: `Delete ${path}?`, body, action: 'Delete', danger: true }))) return;
    onFolder(removeFile(folder, path));
    onSelect(SKILL_FILE);
  };
  return (
    <>
      <div className={styles.paneHead}>
        <h3 className="grow breakable">{path}</h3>
        <span className="small muted">{formatBytes(sizeOf(file))}</span>
        <Button small icon="edit" onClick={() => setRenaming(true)}>
          Rename
        </Button>
        <Button small icon="trash" onClick={() => void remove()}>
          Delete
        </Button>
      </div>
      {'text' in content ? (
        <TextAreaField
          label={`Content of ${path}`}
          hideLabel
          code
          rows={18}
          error={error}
          value={content.text}
          onChange={({ target: { value } }) =>
            onFolder(putFile(folder, { ...file, content: { text: keepLineEnds(content.text, value) } }))
          }
        />
      ) : (
        <>
          <BinaryNote file={file} />
          {error && <Notice tone="danger">{error}</Notice>}
        </>
      )}
      <CheckField
        label="Executable"
        hint="Agents may run this file."
        checked={isExecutable}
        onChange={({ target: { checked } }) => onFolder(putFile(folder, { ...file, isExecutable: checked }))}
      />
      {isRenaming && (
        <PathDialog
          title={`Rename ${path}`}
          action="Rename"
          path={path}
          folder={folder}
          onClose={() => setRenaming(false)}
          onPath={(to) => {
            onFolder(renameFile(folder, path, to));
            onSelect(to);
          }}
        />
      )}
    </>
  );
}
