import { createLazyRoute } from '@tanstack/react-router';
import { TranscriptionPage } from './transcription-page.tsx';

export const list = createLazyRoute('/shell/transcription')({ component: TranscriptionPage });
