import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Whoever builds, tests included, builds what is served: React's development build is half as large again.
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
    // The policy of the page allows no data: scripts, and a font or an image in the CSS cannot be cached for itself.
    assetsInlineLimit: 0,
    // What an area needs is a chunk of its own, so a long one is a mistake worth hearing of.
    chunkSizeWarningLimit: 400,
  },
});
