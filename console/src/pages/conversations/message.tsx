import { Markdown } from '../../ui/markdown.tsx';
import { Sources } from '../../ui/sources.tsx';
import styles from './conversations.module.css';
import { FilePart } from './file-part.tsx';
import type { MessageParts } from './timeline-items.ts';

type Props = { parts: MessageParts; isPlain: boolean; isArriving: boolean };

export function Message({ parts, isPlain, isArriving }: Props) {
  const { thoughts, text, images, files, documents, sources } = parts;
  return (
    <div className="stack-tight">
      {thoughts !== '' && (
        <details className={styles.more} open={isArriving && text === ''}>
          <summary>Reasoning</summary>
          <p className={`${styles.text} muted`}>{thoughts}</p>
        </details>
      )}
      {text !== '' && (isPlain ? <p className={styles.text}>{text}</p> : <Markdown text={text} />)}
      {images.map((url) =>
        // Images of other hosts are links: loading them would reveal the reader.
        url.startsWith('data:') ? (
          <img key={url} src={url} alt="Attachment" className={styles.messageImage} />
        ) : (
          <a key={url} href={url} target="_blank" rel="noopener noreferrer" className="breakable">
            {url}
          </a>
        ),
      )}
      {documents.map(({ url, name }) => (
        <a key={url} href={url} target="_blank" rel="noopener noreferrer" className="breakable">
          {name}
        </a>
      ))}
      {files.map(({ id, name }) => (
        <FilePart key={id} id={id} name={name} />
      ))}
      <Sources sources={sources} />
    </div>
  );
}
