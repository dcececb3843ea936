import { createLazyRoute } from '@tanstack/react-router';
import './speech.css';
import { SpeechPage } from './speech-page.tsx';

export const list = createLazyRoute('/shell/speech')({ component: SpeechPage });
