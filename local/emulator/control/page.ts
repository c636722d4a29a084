import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/emulator.css': ['emulator.css', 'text/css; charset=utf-8'],
  '/emulator.js': ['emulator.js', 'text/javascript; charset=utf-8'],
};

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Serves the page for people. It holds nothing: its script calls the control API, with the token of its address. */
export function addPage(server: FastifyInstance): void {
  for (const [path, [file, type]] of Object.entries(FILES)) {
    const content = readFileSync(new URL(`../page/${file}`, import.meta.url));
    server.get(path, (_request, reply) => reply.headers(HEADERS).type(type).send(content));
  }
}
