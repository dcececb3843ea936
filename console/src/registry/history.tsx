import { type ReactNode, useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SelectField } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import type { Version } from './queries.ts';
import styles from './registry.module.css';

type Props<D> = {
  versions: readonly Version<D>[];
  /** Renders the changes between two versions. */
  compare: (before: Version<D>, after: Version<D>) => ReactNode;
  onShow: (version: number) => void;
};

const ROW_PX = 64;
const LIST_PX = 420;

/** All versions, and the changes between any two. */
export function History<D>({ versions, compare, onShow }: Props<D>) {
  const newest = versions[0]?.version ?? 1;
  const [after, setAfter] = useState(newest);
  const [before, setBefore] = useState(versions[1]?.version ?? newest);
  const at = (number: number) => versions.find(({ version }) => version === number);
  const [left, right] = [at(before), at(after)];
  return (
    <div className={styles.history}>
      <Card title="Versions" flush>
        <VirtualList
          label="Versions, newest first"
          items={versions}
          itemKey={({ version }) => String(version)}
          estimate={ROW_PX}
          height={Math.min(LIST_PX, Math.max(1, versions.length) * ROW_PX)}
          render={(version) => (
            <div className={styles.version}>
              <div className="grow">
                <div className="row">
                  <strong>Version {version.version}</strong>
                  {version.aliases?.map((alias) => (
                    <Badge key={alias} tone="accent">
                      {alias}
                    </Badge>
                  ))}
                </div>
                <div className="small muted clip">
                  {version.createdAt && <Time value={version.createdAt} />}
                  {version.notes && <> · {version.notes}</>}
                </div>
              </div>
              <Button small look="quiet" onClick={() => onShow(version.version ?? newest)}>
                Show
              </Button>
            </div>
          )}
        />
      </Card>
      <Card title="Changes">
        <div className="row">
          <VersionSelect label="From" versions={versions} value={before} onChange={setBefore} />
          <VersionSelect label="To" versions={versions} value={after} onChange={setAfter} />
        </div>
        {left && right && compare(left, right)}
      </Card>
    </div>
  );
}

type SelectProps = {
  label: string;
  versions: readonly Version[];
  value: number;
  onChange: (version: number) => void;
  hideLabel?: boolean;
};

export function VersionSelect({ label, versions, value, onChange, hideLabel = false }: SelectProps) {
  return (
    <SelectField
      label={label}
      hideLabel={hideLabel}
      value={String(value)}
      onChange={(chosen) => onChange(Number(chosen))}
      options={versions.map(({ version, aliases = [] }) => ({
        value: String(version),
        label: `Version ${version}${aliases.length > 0 ? ` (${aliases.join(', ')})` : ''}`,
      }))}
    />
  );
}
