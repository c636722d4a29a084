/** Where the Node.js is that we pin. Node.js 20 must be able to read this file, and it needs no package. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const { platform, arch } = process;
/** The package for this machine: one of `optionalDependencies` in package.json. */
const PACKAGE = `node-${platform === 'darwin' && arch === 'arm64' ? 'bin-' : ''}${platform}-${arch}`;

/**
 * Its path below a folder `node_modules`, or undefined if it is not installed. npm links it in `.bin`. Before version 11, npm takes that link away
 * again where it leaves out the packages of other platforms, which link the same name.
 */
export function findPinnedNode(modules) {
  return [join(modules, '.bin/node'), join(modules, PACKAGE, 'bin/node')].find((path) => existsSync(path));
}
