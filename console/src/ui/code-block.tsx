import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';
import { highlight } from './highlight.ts';
import { ScrollBox } from './scroll-box.tsx';

type Props = { code: string; title?: string; wrap?: boolean; language?: string };

/** Preformatted text; focusable so that the arrow keys can scroll it. */
export function CodeBlock({ code, title, wrap = false, language = '' }: Props) {
  return (
    <div className={`${styles.code} ${wrap ? styles.wrap : ''}`}>
      {title ? (
        <div className={styles.head}>
          <span>{title}</span>
          <CopyButton small iconOnly text={code} label={`Copy: ${title}`} />
        </div>
      ) : (
        <div className={styles.copy}>
          <CopyButton small iconOnly text={code} />
        </div>
      )}
      <ScrollBox label={title ?? 'Code'} className={styles.scroll}>
        <pre>
          <code>
            {language === ''
              ? code
              : highlight(code, language).map(({ text, kind }, at) =>
                  kind === undefined ? (
                    text
                  ) : (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place.
                    <span key={at} className={styles[kind]}>
                      {text}
                    </span>
                  ),
                )}
          </code>
        </pre>
      </ScrollBox>
    </div>
  );
}
