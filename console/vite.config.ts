import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Always build for production, also in tests: React's development build is half as large again.
if (process.env.NODE_ENV === 'test') process.env.NODE_ENV = 'production';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    manifest: true,
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // The content security policy forbids data: scripts, and inlined fonts and images cannot be cached.
    assetsInlineLimit: 0,
    // Each area is a chunk of its own, so a large chunk is a mistake worth a warning.
    chunkSizeWarningLimit: 400,
  },
});
