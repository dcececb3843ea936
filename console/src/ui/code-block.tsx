import { CopyButton } from './copy-button.tsx';
import { ScrollBox } from './scroll-box.tsx';

type Props = { code: string; title?: string; wrap?: boolean };

/** Preformatted text; focusable so that the arrow keys can scroll it. */
export function CodeBlock({ code, title, wrap = false }: Props) {
  return (
    <div className={`code ${wrap ? 'code-wrap' : ''}`}>
      {title ? (
        <div className="code-head">
          <span>{title}</span>
          <CopyButton small iconOnly text={code} label={`Copy: ${title}`} />
        </div>
      ) : (
        <div className="code-copy">
          <CopyButton small iconOnly text={code} />
        </div>
      )}
      <ScrollBox label={title ?? 'Code'} className="code-scroll">
        <pre>
          <code>{code}</code>
        </pre>
      </ScrollBox>
    </div>
  );
}
