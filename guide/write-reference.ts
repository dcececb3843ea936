import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const VIEWER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
// The viewer sets style attributes; everything else comes from the site.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${POLICY}">
<title>API reference · Tramontane</title>
<link rel="stylesheet" href="swagger-ui.css">
<link rel="icon" type="image/png" href="favicon-32x32.png">
</head>
<body>
<p><a href="../index.html">Guide</a> · <a href="../api.html">All endpoints as a list</a></p>
<div id="reference"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`;

// There is no server to send requests to.
const START =
  "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#reference', deepLinking: true, supportedSubmitMethods: [] });\n";

/** The API reference for hosts that only have files; a server has its own at /docs. */
export async function writeReference(root: string, target: string): Promise<void> {
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const folder = join(target, 'reference');
  await mkdir(folder, { recursive: true });
  for (const name of VIEWER) await copyFile(join(viewer, name), join(folder, name));
  await copyFile(join(root, 'openapi/openapi.json'), join(folder, 'openapi.json'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'start.js'), START);
}
