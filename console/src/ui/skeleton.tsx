import styles from './skeleton.module.css';
/** Placeholder lines that avoid a layout shift. */
export function Skeleton({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className="stack" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: identical, static lines.
        <span key={at} className={styles.skeleton} style={{ width: `${[92, 78, 85, 64][at % 4]}%` }} />
      ))}
    </div>
  );
}
