import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { liveModels } from '../../api/dictation.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { TextAreaField } from '../../ui/field.tsx';
import { useDictation } from '../../ui/use-dictation.ts';

type Props = { isRunning: boolean; onSend: (text: string) => boolean; onStop: () => void };

/** Enter sends, Shift+Enter adds a line. */
export function Composer({ isRunning, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() !== '' && !isRunning && onSend(text)) setText('');
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
  return (
    <form className="playground-composer" onSubmit={submit}>
      <TextAreaField
        label="Message"
        hideLabel
        rows={2}
        placeholder="Write a message"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        {...(dictation.error ? { error: describeError(dictation.error).message } : {})}
      />
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
        <Button type="submit" look="primary" icon="arrow" disabled={text.trim() === ''}>
          Send
        </Button>
      )}
    </form>
  );
}
