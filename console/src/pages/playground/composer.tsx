import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type DragEvent, type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { liveModels } from '../../api/dictation.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { TextAreaField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useDictation } from '../../ui/use-dictation.ts';
import { type Attachment, readAttachment } from './attachments.ts';
import styles from './playground.module.css';

type Props = {
  isRunning: boolean;
  onSend: (text: string, attachments: readonly Attachment[]) => boolean;
  onStop: () => void;
};

/** Enter sends, Shift+Enter adds a line. Files are dropped, pasted or chosen. */
export function Composer({ isRunning, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const [attached, setAttached] = useState<readonly Attachment[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const isEmpty = text.trim() === '' && attached.length === 0;
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isEmpty || isRunning || !onSend(text, attached)) return;
    setText('');
    setAttached([]);
  };
  const attach = async (files: Iterable<File>) => {
    setProblem(undefined);
    for (const file of files) {
      try {
        const read = await readAttachment(file);
        setAttached((before) => [...before, read]);
      } catch (error) {
        setProblem(describeError(error).message);
      }
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    void attach([...event.clipboardData.files]);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void attach([...event.dataTransfer.files]);
  };
  const [liveModel] = useQuery(liveModels).data ?? [];
  const dictation = useDictation();
  const dictate = (model: string) => {
    const before = text.trimEnd();
    let spoken = '';
    const show = (words: string) => {
      spoken += words;
      setText(before === '' ? spoken : `${before} ${spoken}`);
    };
    void dictation.start({ model }, { onText: show, onEnd: () => undefined });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also confirms a word of an input method editor.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const said = problem ?? (dictation.error ? describeError(dictation.error).message : undefined);
  return (
    <form
      className={`${styles.composer} ${isOver ? styles.drop : ''}`}
      onSubmit={submit}
      onPaste={onPaste}
      onDrop={onDrop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
    >
      {attached.length > 0 && (
        <ul className={styles.attached} aria-label="Attached files">
          {attached.map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: files of the same name may be attached twice.
            <li key={at} className="row">
              <Icon name="file" size={15} />
              <span className="clip">{one.name}</span>
              <Button
                small
                look="quiet"
                icon="close"
                iconOnly
                onClick={() => setAttached(attached.filter((_, other) => other !== at))}
              >
                {`Remove ${one.name}`}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <TextAreaField
        label="Message"
        hideLabel
        rows={2}
        placeholder="Write a message, or drop a picture or a document here"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        {...(said ? { error: said } : {})}
      />
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          void attach([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <Button icon="plus" iconOnly onClick={() => chooser.current?.click()}>
        Attach files
      </Button>
      {liveModel !== undefined &&
        (dictation.state === 'listening' ? (
          <Button icon="stop" iconOnly onClick={dictation.stop}>
            Stop dictation
          </Button>
        ) : (
          <Button icon="mic" iconOnly busy={dictation.state !== 'idle'} onClick={() => dictate(liveModel)}>
            Dictate
          </Button>
        ))}
      {isRunning ? (
        <Button look="danger" icon="stop" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button type="submit" look="primary" icon="arrow" disabled={isEmpty}>
          Send
        </Button>
      )}
    </form>
  );
}
