import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { type FolderFile, SKILL_FILE, type TreeNode, treeOf } from './folder.ts';
import styles from './skills.module.css';

type Props = {
  files: readonly FolderFile[];
  selected: string;
  onSelect: (path: string) => void;
  /** Badges beside the name: findings, errors, changes. */
  mark: (path: string) => ReactNode;
};

/** SKILL.md first, then folders, then files. */
export function FileTree({ files, selected, onSelect, mark }: Props) {
  const leaf = (path: string, name: string) => (
    <button
      type="button"
      className={styles.treeFile}
      aria-current={path === selected ? 'true' : undefined}
      onClick={() => onSelect(path)}
    >
      <Icon name="file" size={16} />
      <span className="grow breakable">{name}</span>
      {mark(path)}
    </button>
  );
  const branch = (nodes: readonly TreeNode[]) => (
    <ul>
      {nodes.map(({ name, path, file, children }) => (
        <li key={`${path}${file ? '' : '/'}`}>
          {file ? (
            leaf(path, name)
          ) : (
            <details open>
              <summary className={styles.treeFolder}>
                <Icon name="right" size={14} />
                <span className="breakable">{name}</span>
              </summary>
              {branch(children)}
            </details>
          )}
        </li>
      ))}
    </ul>
  );
  return (
    <nav className={styles.tree} aria-label="Skill files">
      {leaf(SKILL_FILE, SKILL_FILE)}
      {branch(treeOf(files))}
    </nav>
  );
}
