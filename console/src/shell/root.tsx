import { Outlet } from '@tanstack/react-router';
import { Announcer } from './announcer.tsx';

export function Root() {
  return (
    <>
      <Outlet />
      <Announcer />
    </>
  );
}
