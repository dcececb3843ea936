import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import styles from './conversations.module.css';

type Props = {
  isRunning: boolean;
  disabled?: boolean;
  placeholder: string;
  /** Resolves to false when rejected; the text is then kept. */
  onSend: (text: string) => Promise<boolean>;
};

/** Enter sends, Shift+Enter adds a line. */
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
    // Enter also confirms a word of an input method editor.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <form className={styles.composer} onSubmit={submit}>
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
        {isRunning ? 'Responding' : 'Send'}
      </Button>
    </form>
  );
}
