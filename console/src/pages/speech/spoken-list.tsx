import { Card } from '../../ui/card.tsx';
import { formatBytes, formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Spoken } from './speak.ts';

/** The newest first; it plays as soon as it is here. */
export function SpokenList({ spoken }: { spoken: readonly Spoken[] }) {
  if (spoken.length === 0) return null;
  return (
    <Card title="Spoken" flush>
      <ul>
        {spoken.map((sound, index) => (
          <li key={sound.url} className="spoken">
            <div className="clip">{sound.text}</div>
            <div className="small muted">
              {[sound.model, sound.engine, sound.format, formatBytes(sound.bytes), `in ${formatDuration(sound.tookMs)}`]
                .filter(Boolean)
                .join(' · ')}
            </div>
            <div className="row">
              {sound.format === 'pcm' ? (
                <span className="small muted grow">Bare samples: take them along, a browser cannot play them.</span>
              ) : (
                // biome-ignore lint/a11y/useMediaCaption: the text that is spoken stands right above it.
                <audio
                  className="grow"
                  controls
                  autoPlay={index === 0}
                  src={sound.url}
                  aria-label={sound.text.slice(0, 80)}
                />
              )}
              <a className="button button-small" href={sound.url} download={`speech.${sound.format}`}>
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
