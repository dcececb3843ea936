import { VirtualList } from '../../ui/virtual-list.tsx';
import { describeFinding, type Finding } from './findings.ts';
import styles from './skills.module.css';

const LINE_PX = 20;
const LEAST_PX = 120;
const MOST_PX = 560;

type Props = { label: string; text: string; findings: readonly Finding[]; line?: number | undefined };

/** A virtual list of numbered lines, each with its findings. */
export function SourceLines({ label, text, findings, line: shown }: Props) {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const height = Math.min(MOST_PX, Math.max(LEAST_PX, (lines.length + 2 * findings.length) * LINE_PX));
  return (
    <div className={styles.source}>
      <VirtualList
        label={label}
        items={lines}
        itemKey={(_, index) => index}
        estimate={LINE_PX}
        height={height}
        reveal={shown ? shown - 1 : undefined}
        render={(line, index) => {
          const found = findings.filter((finding) => finding.line === index + 1);
          return (
            <div className={found.length > 0 ? `${styles.line} ${styles.lineFound}` : styles.line}>
              <span className={styles.lineNumber}>{index + 1}</span>
              <div className="grow">
                <div className={styles.lineText}>{line}</div>
                {found.map((finding) => (
                  <FindingNote key={finding.rule} finding={finding} />
                ))}
              </div>
            </div>
          );
        }}
      />
    </div>
  );
}

export function FindingNote({ finding }: { finding: Finding }) {
  return (
    <div className={styles.finding}>
      <strong>{finding.rule}</strong> {finding.line === 0 ? 'This file' : 'This line'} {describeFinding(finding)}.
    </div>
  );
}
