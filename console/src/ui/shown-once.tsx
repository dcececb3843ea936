import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';
import styles from './shown-once.module.css';

type Props = {
  title: string;
  secret: string;
  notice: string;
  copyLabel?: string;
  children?: ReactNode;
  onClose: () => void;
};

/** A secret that cannot be read again after closing. */
export function ShownOnce({ title, secret, notice, copyLabel = 'Copy secret', children, onClose }: Props) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <Notice tone="warning">{notice}</Notice>
      <div className={styles.secret}>
        <code className="breakable grow" data-testid="secret">
          {secret}
        </code>
        <CopyButton text={secret} label={copyLabel} />
      </div>
      {children}
    </Dialog>
  );
}
