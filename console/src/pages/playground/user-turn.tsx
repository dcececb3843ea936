import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Attachment } from './attachments.ts';
import styles from './playground.module.css';
import type { Turn } from './setup.ts';

type Props = {
  turn: Extract<Turn, { role: 'user' }>;
  onEdit: ((content: string) => void) | undefined;
  onBranch: (() => void) | undefined;
};

/** What was said; it can be said in other words, or be the end of a new session. */
export function UserTurn({ turn, onEdit, onBranch }: Props) {
  const [edited, setEdited] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onEdit?.(edited ?? '');
    setEdited(undefined);
  };
  return (
    <div className={`${styles.turn} ${styles.user}`}>
      <h3>You</h3>
      {turn.attachments?.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attachments do not change.
        <AttachmentView key={at} attachment={one} />
      ))}
      {edited === undefined ? (
        <>
          <p className={styles.text}>{turn.content}</p>
          <div className={`row ${styles.turnActions}`}>
            {onEdit && (
              <Button small look="quiet" icon="edit" iconOnly onClick={() => setEdited(turn.content)}>
                Edit message
              </Button>
            )}
            {onBranch && (
              <Button small look="quiet" icon="branch" iconOnly onClick={onBranch}>
                Branch from here
              </Button>
            )}
          </div>
        </>
      ) : (
        <form className="stack-tight" onSubmit={submit}>
          <TextAreaField
            label="Edited message"
            hideLabel
            rows={3}
            required
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
          />
          <div className="row row-end">
            <Button small onClick={() => setEdited(undefined)}>
              Cancel
            </Button>
            <Button small type="submit" look="primary">
              Send again
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}

function AttachmentView({ attachment: { kind, name, content } }: { attachment: Attachment }) {
  if (kind === 'image' && content !== '') return <img className={styles.picture} src={content} alt={name} />;
  return (
    <p className="row small">
      <Icon name="file" size={15} />
      <span className="breakable">{name}</span>
      {content === '' && <span className="muted">(not kept)</span>}
    </p>
  );
}
