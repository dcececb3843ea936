import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatBytes, formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Recording } from './generate-speech.ts';
import styles from './speech.module.css';

/** Newest first; a new recording plays at once. */
export function Recordings({ recordings }: { recordings: readonly Recording[] }) {
  if (recordings.length === 0) return null;
  return (
    <Card title="Recordings" flush>
      <ul>
        {recordings.map((recording, index) => (
          <li key={recording.url} className={styles.recording}>
            <div className="clip">{recording.text}</div>
            <div className="small muted">
              {[
                recording.model,
                recording.engine,
                recording.format,
                formatBytes(recording.bytes),
                `in ${formatDuration(recording.tookMs)}`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </div>
            <div className="row">
              {recording.format === 'pcm' ? (
                <span className="small muted grow">Raw samples cannot be played in a browser; download them.</span>
              ) : (
                // biome-ignore lint/a11y/useMediaCaption: the spoken text is right above it.
                <audio
                  className="grow"
                  controls
                  autoPlay={index === 0}
                  src={recording.url}
                  aria-label={recording.text.slice(0, 80)}
                />
              )}
              <a className={buttonClass({ small: true })} href={recording.url} download={`speech.${recording.format}`}>
                <Icon name="download" size={15} />
                Download
              </a>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
