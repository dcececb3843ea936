import { createLazyRoute } from '@tanstack/react-router';
import { SpeechPage } from './speech-page.tsx';

export const list = createLazyRoute('/shell/speech')({ component: SpeechPage });
