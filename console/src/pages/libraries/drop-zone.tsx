import { type DragEvent, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import fieldStyles from '../../ui/field.module.css';
import { formatBytes } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import styles from './libraries.module.css';
import type { Upload } from './use-uploads.ts';

type Props = {
  uploads: readonly Upload[];
  onFiles: (files: readonly File[]) => void;
  onDismiss: (id: number) => void;
  onWeb: () => void;
};

/** Takes files by drop or by choice, and shows those that are on their way. */
export function DropZone({ uploads, onFiles, onDismiss, onWeb }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <section
      aria-label="Add documents"
      className={`${styles.dropZone} ${isOver ? styles.dropZoneOver : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <div className={styles.dropZoneRow}>
        <Icon name="file" />
        <p className="grow">
          Drop files here.{' '}
          <span className="muted">PDF, pictures, Office, text, code, e-mail, audio and zip archives.</span>
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ target }) => {
            onFiles([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <Button onClick={onWeb}>Add web page</Button>
        <Button look="primary" icon="plus" onClick={() => input.current?.click()}>
          Choose files
        </Button>
      </div>
      {uploads.length > 0 && (
        <ul className={styles.dropZoneList} aria-label="Uploads">
          {uploads.map((upload) => (
            <li key={upload.id} className={styles.dropZoneRow}>
              {upload.state === 'sending' ? (
                <Spinner />
              ) : (
                <Icon name={upload.state === 'failed' ? 'warning' : 'clock'} size={16} />
              )}
              <span className="grow breakable">
                {upload.name} <span className="muted numbers">{formatBytes(upload.bytes)}</span>
                {upload.state === 'failed' && (
                  <span className={fieldStyles.error} role="alert">
                    {describeError(upload.error).message}
                  </span>
                )}
              </span>
              {upload.state === 'failed' ? (
                <Button small look="quiet" icon="close" iconOnly onClick={() => onDismiss(upload.id)}>
                  {`Dismiss ${upload.name}`}
                </Button>
              ) : (
                <span className="small muted">{upload.state === 'sending' ? 'Uploading' : 'Waiting'}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
