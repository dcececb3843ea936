import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import noticeStyles from '../../ui/notice.module.css';
import spinnerStyles from '../../ui/spinner.module.css';
import { useToast } from '../../ui/toast.tsx';
import { AuthorName } from './author-name.tsx';
import styles from './conversations.module.css';
import { Message } from './message.tsx';
import type { Reply } from './open-calls.ts';
import type { Item } from './timeline-items.ts';

type ItemOf<Kind extends Item['kind']> = Extract<Item, { kind: Kind }>;
type Props = {
  item: Item;
  isArriving: boolean;
  /** The number of branches after this entry. */
  branchCount: number;
  reply: Reply | undefined;
  isBusy: boolean;
  onReply: (callId: string, reply: Reply) => void;
  onRestart: (item: Item) => void;
};

export function EntryItem(props: Props) {
  const { item, isArriving, branchCount, isBusy, onRestart } = props;
  const toast = useToast();
  const { icon, title } = headOf(item);
  const copyId = () => void navigator.clipboard?.writeText(item.id).then(() => toast.success('Copied.'), toast.error);
  return (
    <article className={`${styles.entry} ${styles[`entry-${item.kind === 'message' ? item.role : item.kind}`] ?? ''}`}>
      <div className={styles.entryRail} aria-hidden="true">
        <span className={styles.entryDot}>
          <Icon name={icon} size={15} />
        </span>
      </div>
      <div className={styles.entryMain}>
        <div className={styles.entryHead}>
          <h2>
            {title}
            {item.kind === 'message' && item.role === 'assistant' && <AuthorName by={item.by} />}
          </h2>
          {isArriving && item.kind !== 'call' && (
            <span className={spinnerStyles.spinner} role="img" aria-label="Streaming" />
          )}
          {branchCount > 0 && (
            <Badge tone="accent">
              {branchCount === 1 ? '1 branch from here' : `${branchCount} branches from here`}
            </Badge>
          )}
          <span className="grow" />
          {item.at && (
            <time className="small muted numbers" dateTime={item.at}>
              {formatMoment(item.at)}
            </time>
          )}
          <Menu
            label={`Actions for entry: ${title}`}
            items={[
              { label: 'Restart from here', disabled: isBusy, onSelect: () => onRestart(item) },
              { label: 'Copy entry ID', onSelect: copyId },
            ]}
          />
        </div>
        <Body {...props} />
      </div>
    </article>
  );
}

function headOf(item: Item): { icon: IconName; title: string } {
  switch (item.kind) {
    case 'message':
      return item.role === 'user' ? { icon: 'person', title: 'You' } : { icon: 'agent', title: '' };
    case 'tool':
      return { icon: 'play', title: `Ran ${item.name}` };
    case 'call':
      return { icon: 'key', title: `Calls ${item.name}` };
    case 'result':
      return { icon: 'check', title: 'Result' };
    case 'handoff':
      return { icon: 'arrow', title: 'Handoff' };
  }
}

function Body({ item, reply, isBusy, isArriving, onReply }: Props) {
  switch (item.kind) {
    case 'message':
      return <Message parts={item.parts} isPlain={item.role === 'user'} isArriving={isArriving} />;
    case 'tool':
      return <Tool item={item} />;
    case 'call':
      return <Call item={item} reply={reply} isBusy={isBusy} onReply={onReply} />;
    case 'result':
      return <CodeBlock title={`Call ${item.callId}`} code={item.result} wrap />;
    case 'handoff':
      return (
        <p className="row">
          <strong>{item.from}</strong> <Icon name="arrow" size={15} /> <strong>{item.to || '…'}</strong>
        </p>
      );
  }
}

const languages = { python: 'Python', json: 'Input', text: 'Input' } as const;

function Tool({ item }: { item: ItemOf<'tool'> }) {
  return (
    <div className="stack-tight">
      <CodeBlock title={languages[item.input.language]} code={item.input.text} wrap />
      {item.error ? (
        <p className={`${noticeStyles.notice} ${noticeStyles.danger}`}>{item.error}</p>
      ) : item.output ? (
        <CodeBlock title="Output" code={item.output.text} wrap />
      ) : null}
    </div>
  );
}

const outcomes = {
  allowed: { tone: 'success', label: 'Allowed' },
  denied: { tone: 'danger', label: 'Denied' },
  answered: { tone: 'success', label: 'Answered' },
} as const;

function Call({
  item,
  reply,
  isBusy,
  onReply,
}: {
  item: ItemOf<'call'>;
  reply: Reply | undefined;
  isBusy: boolean;
  onReply: Props['onReply'];
}) {
  const { state, callId, name, input, result } = item;
  return (
    <div className="stack-tight">
      <CodeBlock title={languages[input.language]} code={input.text} wrap />
      {state === 'to-confirm' && (
        <div className={styles.callOpen}>
          <p>{name} requires approval. It runs only if you allow it; if you deny it, the model is informed.</p>
          <div className="row">
            <Button
              look="primary"
              small
              icon="check"
              busy={isBusy && reply?.kind === 'allow'}
              disabled={isBusy && reply?.kind !== 'allow'}
              aria-pressed={reply?.kind === 'allow'}
              onClick={() => onReply(callId, { kind: 'allow' })}
            >
              Allow
            </Button>
            <Button
              small
              icon="close"
              busy={isBusy && reply?.kind === 'deny'}
              disabled={isBusy && reply?.kind !== 'deny'}
              aria-pressed={reply?.kind === 'deny'}
              onClick={() => onReply(callId, { kind: 'deny' })}
            >
              Deny
            </Button>
            {reply && !isBusy && <span className="small muted">Sent once the other calls are resolved.</span>}
          </div>
        </div>
      )}
      {state === 'to-answer' && (
        <ResultForm
          name={name}
          isBusy={isBusy}
          reply={reply}
          onSend={(text) => onReply(callId, { kind: 'result', text })}
        />
      )}
      {(state === 'allowed' || state === 'denied' || state === 'answered') && (
        <div>
          <Badge tone={outcomes[state].tone} dot>
            {outcomes[state].label}
          </Badge>
        </div>
      )}
      {result !== undefined && state === 'answered' && <CodeBlock title="Result" code={result} wrap />}
    </div>
  );
}

function ResultForm({
  name,
  isBusy,
  reply,
  onSend,
}: {
  name: string;
  isBusy: boolean;
  reply: Reply | undefined;
  onSend: (text: string) => void;
}) {
  const [text, setText] = useState('');
  return (
    <form
      className={styles.callOpen}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(text);
      }}
    >
      <TextAreaField
        label={`Result of ${name}`}
        hint="Your application normally runs this function. Enter its result here."
        code
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <Button type="submit" look="primary" small busy={isBusy && reply !== undefined} disabled={isBusy && !reply}>
          Send result
        </Button>
        {reply && !isBusy && <span className="small muted">Sent once the other calls are resolved.</span>}
      </div>
    </form>
  );
}
