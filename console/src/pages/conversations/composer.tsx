import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';

type Props = {
  isRunning: boolean;
  disabled?: boolean;
  placeholder: string;
  /** False when it was refused: the text then stays. */
  onSend: (text: string) => Promise<boolean>;
};

/** Enter sends, Shift and Enter begins a line. */
export function Composer({ isRunning, disabled = false, placeholder, onSend }: Props) {
  const [text, setText] = useState('');
  const isReady = text.trim() !== '' && !isRunning && !disabled;
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!isReady) return;
    const sent = text;
    setText('');
    if (!(await onSend(sent))) setText((now) => (now === '' ? sent : now));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method composes a word, Enter ends the word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <form className="composer" onSubmit={submit}>
      <TextAreaField
        label="Message"
        hideLabel
        rows={2}
        disabled={disabled}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button type="submit" look="primary" icon="arrow" busy={isRunning} disabled={!isRunning && !isReady}>
        {isRunning ? 'Answering' : 'Send'}
      </Button>
    </form>
  );
}
