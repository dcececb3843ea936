import { useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { useToast } from '../../ui/toast.tsx';
import { contentFromBytes, type Folder, limits, putFile, SKILL_FILE } from './folder.ts';
import { PathDialog } from './path-dialog.tsx';

type Props = { folder: Folder; onFolder: (folder: Folder) => void; onSelect: (path: string) => void };

/** Adds an empty file or uploads files; an upload replaces a file of the same name. */
export function AddFiles({ folder, onFolder, onSelect }: Props) {
  const toast = useToast();
  const input = useRef<HTMLInputElement>(null);
  const [isAdding, setAdding] = useState(false);
  const upload = async (chosen: readonly File[]) => {
    let next = folder;
    for (const file of chosen) {
      const refusal = whyNot(file);
      if (refusal) {
        toast.error(new Error(refusal));
        continue;
      }
      const before = next.files.find(({ path }) => path === file.name);
      const content = contentFromBytes(new Uint8Array(await file.arrayBuffer()));
      next = putFile(next, { path: file.name, isExecutable: before?.isExecutable ?? false, content });
      if (before) toast.success(`${file.name} was replaced.`);
      onSelect(file.name);
    }
    onFolder(next);
  };
  return (
    <>
      <Button small icon="plus" onClick={() => setAdding(true)}>
        Add file
      </Button>
      <Button small icon="file" onClick={() => input.current?.click()}>
        Upload
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          void upload([...(target.files ?? [])]);
          // Allows choosing the same file again.
          target.value = '';
        }}
      />
      {isAdding && (
        <PathDialog
          title="Add file"
          action="Add"
          path=""
          folder={folder}
          onClose={() => setAdding(false)}
          onPath={(path) => {
            onFolder(putFile(folder, { path, isExecutable: false, content: { text: '' } }));
            onSelect(path);
          }}
        />
      )}
    </>
  );
}

function whyNot({ name, size }: File): string | undefined {
  if (name.toLowerCase() === SKILL_FILE.toLowerCase())
    return 'SKILL.md cannot be uploaded. Use the description and instructions fields.';
  if (size > limits.fileBytes)
    return `${name} is ${formatBytes(size)}; the limit for a file is ${formatBytes(limits.fileBytes)}.`;
  return undefined;
}
