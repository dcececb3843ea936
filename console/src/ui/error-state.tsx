import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { describeError } from './describe-error.ts';
import { useErrorRest } from './form-errors.tsx';
import { Icon } from './icon.tsx';
import noticeStyles from './notice.module.css';
import styles from './state.module.css';

/** Replaces failed content with the error, advice and the request ID. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, message, advice, requestId } = describeError(error);
  return (
    <div className={styles.state} role="alert">
      <Icon name="warning" size={28} />
      <h2>{title}</h2>
      <p>{message}</p>
      <p>{advice}</p>
      {requestId && (
        <div className="row small">
          <code>{requestId}</code>
          <CopyButton small text={requestId} label="Copy request ID" />
        </div>
      )}
      {onRetry && (
        <div className="row">
          <Button icon="refresh" onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** A short form of the same, for forms. What an input of the form shows is left out. */
export function ErrorNotice({ error, advice: given }: { error: unknown; advice?: string }) {
  const rest = useErrorRest(error);
  if (!rest) return null;
  const { message, advice, requestId } = describeError(rest);
  return (
    <div className={`${noticeStyles.notice} ${noticeStyles.danger}`} role="alert">
      <Icon name="warning" />
      <div>
        <div>{message}</div>
        <div className="small">
          {given ?? advice}
          {requestId && <> Request {requestId}.</>}
        </div>
      </div>
    </div>
  );
}
