import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';

type Props = { isRunning: boolean; onSend: (text: string) => boolean; onStop: () => void };

/** Enter sends, Shift+Enter adds a line. */
export function Composer({ isRunning, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() !== '' && !isRunning && onSend(text)) setText('');
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
      />
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
