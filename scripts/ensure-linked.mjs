/**
 * npm runs this after each installation in a clone. Its scripts and the units of systemd find the pinned Node.js as `node_modules/.bin/node`, and
 * not every npm leaves that link (bin/pinned-node.mjs).
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPinnedNode } from '../bin/pinned-node.mjs';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
const links = join(modules, '.bin');
const found = findPinnedNode(modules);
if (found && found !== join(links, 'node')) {
  mkdirSync(links, { recursive: true });
  // A link to a Node.js that is gone.
  rmSync(join(links, 'node'), { force: true });
  symlinkSync(relative(links, found), join(links, 'node'));
}
