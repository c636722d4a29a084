import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd, type Ending } from '../kit/unit/at-end.ts';

const ROOT = join(import.meta.dirname, '../..');
const exec = promisify(execFile);

/** What Debian's own slim images set: no documents, and no waiting for the disk at every package. */
const SLIM = [
  'force-unsafe-io',
  ...['doc', 'man', 'locale', 'info'].map((name) => `path-exclude=/usr/share/${name}/*`),
];

/** What a container engine takes from an image. */
export type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
};

export type BuiltImage = {
  readonly config: ImageConfig;
  /** The folder with the files of a new container. */
  readonly root: string;
  /** In bytes. */
  readonly size: number;
  /** Runs a command in the container by buildah, and returns its output. */
  run(command: readonly string[], options?: readonly string[]): Promise<string>;
};

/**
 * Builds images by buildah, without a daemon and without a registry: the base image is made of Debian's packages, under the name
 * that the Dockerfile has for it. `folder` holds the images, and must be on a disk with some gigabytes.
 */
export async function openImages(t: Ending, folder: string): Promise<{ build(target: string): Promise<BuiltImage> }> {
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = (...args: string[]) => call('buildah', ...store, ...args);
  const containers: string[] = [];
  atEnd(t, async () => {
    if (containers.length > 0) await buildah('rm', ...containers);
  });

  const base = /^ARG BASE=(\S+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))![1]!;
  const archive = join(folder, 'base.tar');
  const options = SLIM.map((option) => `--dpkgopt=${option}`);
  await call('mmdebstrap', '--variant=minbase', ...options, /:(\w+)-slim$/.exec(base)![1]!, archive, await mirror());
  const empty = await buildah('from', 'scratch');
  await buildah('add', empty, archive, '/');
  await buildah('commit', '--rm', empty, base);

  const npmrc = join(folder, 'npmrc');
  writeFileSync(npmrc, await npmSettings(), { mode: 0o600 });
  return {
    async build(target) {
      const how = ['--isolation', 'chroot', '--format', 'docker', '--pull-never', '--secret', `id=npmrc,src=${npmrc}`];
      await buildah('bud', ...how, '--target', target, '--tag', target, ROOT);
      const container = await buildah('from', '--pull-never', target);
      containers.push(container);
      const root = await buildah('mount', container);
      const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', target)) as {
        Docker: { config: ImageConfig };
      };
      return {
        config: Docker.config,
        root,
        size: Number.parseInt(await call('du', '--summarize', '--bytes', root), 10),
        run: (command, options = []) =>
          buildah('run', '--isolation', 'chroot', ...options, container, '--', ...command),
      };
    },
  };
}

async function call(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await exec(program, args, { maxBuffer: 256 * 1024 * 1024 });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(
      `${program} ${args.find((arg) => /^\w+$/.test(arg))} failed:\n${`${stdout}${stderr}`.slice(-4_000)}`,
    );
  }
}

/** The mirror that apt uses on this machine. */
async function mirror(): Promise<string> {
  const listed = await call('apt-get', 'indextargets', '--format', '$(ORIGIN) $(REPO_URI)', 'Created-By: Packages');
  return /^Debian (\S+)/m.exec(listed)?.[1] ?? 'http://deb.debian.org/debian';
}

/** This user's settings of npm, whole in one file: with the registry and its authorities. */
async function npmSettings(): Promise<string> {
  const get = (name: string) => call('npm', 'config', 'get', name);
  const own = read(join(homedir(), '.npmrc'));
  const authorities = read(process.env.NODE_EXTRA_CA_CERTS ?? (await get('cafile')));
  const certificates = authorities.match(/-----BEGIN.*?-----END CERTIFICATE-----/gs) ?? [];
  const lines = certificates.map((certificate) => `ca[]="${certificate.replaceAll('\n', '\\n')}"`);
  return [own, `registry=${await get('registry')}`, ...lines, ''].join('\n');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
