import { createLazyRoute } from '@tanstack/react-router';
import { OcrPage } from './ocr-page.tsx';

export const list = createLazyRoute('/shell/ocr')({ component: OcrPage });
