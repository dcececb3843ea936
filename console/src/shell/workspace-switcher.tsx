import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { chooseWorkspace, useSession, useWorkspace } from '../api/session.ts';
import fieldStyles from '../ui/field.module.css';
import styles from './workspace-switcher.module.css';

/** Navigates to the area's list, because an item of one workspace does not exist in another. */
export function WorkspaceSwitcher() {
  const { organization, workspaces } = useSession();
  const [chosen, setChosen] = useState(useWorkspace()?.id);
  const router = useRouter();
  const choose = async (id: string) => {
    setChosen(id);
    const area = router.state.location.pathname.split('/').filter(Boolean)[0];
    await router.navigate({ to: area ? `/${area}` : '/' });
    await chooseWorkspace(id);
  };
  return (
    <label className={styles.workspace}>
      <span className={`${styles.organization} clip`}>{organization.name}</span>
      <span className="visually-hidden">Workspace</span>
      <select className={fieldStyles.input} value={chosen} onChange={(event) => choose(event.target.value)}>
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
