import { type ReactNode, useState } from 'react';
import { TextAreaField } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Segments } from '../../ui/segments.tsx';
import { type Folder, keepLineEnds, limits, SKILL_FILE } from './folder.ts';
import styles from './skills.module.css';

const LOOKS = [
  { value: 'write', label: 'Write' },
  { value: 'preview', label: 'Preview' },
] as const;

type Props = {
  folder: Folder;
  onFolder: (folder: Folder) => void;
  descriptionError: ReactNode;
  bodyError: ReactNode;
};

export function SkillMdEditor({ folder, onFolder, descriptionError, bodyError }: Props) {
  const [look, setLook] = useState<(typeof LOOKS)[number]['value']>('write');
  const { description, body } = folder;
  return (
    <>
      <div className={styles.paneHead}>
        <h3 className="grow">{SKILL_FILE}</h3>
        <Segments label="Instructions view" options={LOOKS} value={look} onChange={setLook} />
      </div>
      <TextAreaField
        label="Description"
        required
        rows={2}
        hint={`Tells agents when to use the skill; only this is loaded at first. ${formatNumber([...description].length)} of ${formatNumber(limits.description)} characters.`}
        error={descriptionError}
        value={description}
        onChange={(event) => onFolder({ ...folder, description: keepLineEnds(description, event.target.value) })}
      />
      {look === 'write' ? (
        <TextAreaField
          label="Instructions"
          code
          rows={16}
          hint="Markdown. Agents load it when a task matches."
          error={bodyError}
          value={body}
          onChange={(event) => onFolder({ ...folder, body: keepLineEnds(body, event.target.value) })}
        />
      ) : (
        <div className={styles.preview}>
          {body === '' ? <p className="muted">No instructions yet.</p> : <Markdown text={body} />}
        </div>
      )}
    </>
  );
}
