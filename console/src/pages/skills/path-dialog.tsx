import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { type Folder, SKILL_FILE } from './folder.ts';

type Props = {
  title: string;
  action: string;
  path: string;
  folder: Folder;
  onPath: (path: string) => void;
  onClose: () => void;
};

/** Rejects only paths that would overwrite a file; the server checks the rest. */
export function PathDialog({ title, action, path, folder, onPath, onClose }: Props) {
  const [typed, setTyped] = useState(path);
  const [error, setError] = useState<string>();
  const submit = () => {
    const to = typed.trim();
    if (to.toLowerCase() === SKILL_FILE.toLowerCase()) return setError('SKILL.md is the description and instructions.');
    if (to !== path && folder.files.some((file) => file.path === to))
      return setError('A file with this path already exists.');
    onPath(to);
    onClose();
  };
  // A portal, because forms cannot be nested.
  return createPortal(
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            {action}
          </Button>
        </>
      }
    >
      <TextField
        label="Path"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        hint="Separate folders with /, e.g. scripts/check.sh."
        error={error}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setError(undefined);
        }}
      />
    </Dialog>,
    document.body,
  );
}
