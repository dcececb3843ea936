import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './drop-field.module.css';
import { Icon } from './icon.tsx';

type Props = {
  /** The name of the area for screen readers. */
  label: string;
  children: ReactNode;
  accept?: string;
  multiple?: boolean;
  busy?: boolean;
  onFiles: (files: File[]) => void;
};

/** Takes files by drop or by choice. */
export function DropField({ label, children, accept, multiple = false, busy = false, onFiles }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const chosen = [...(files ?? [])];
    if (chosen.length > 0) onFiles(multiple ? chosen : chosen.slice(0, 1));
  };
  return (
    <section
      aria-label={label}
      className={`${styles.drop} ${isOver ? styles.over : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
    >
      <Icon name="file" />
      <p className="grow">{children}</p>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => {
          take(target.files);
          target.value = '';
        }}
      />
      <Button icon="plus" busy={busy} onClick={() => input.current?.click()}>
        {multiple ? 'Choose files' : 'Choose file'}
      </Button>
    </section>
  );
}
