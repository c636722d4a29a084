import { type Child, startChild } from '../../local/child.ts';
import { atEnd, type Ending } from '../kit/unit/at-end.ts';
import type { BuiltImage } from './images.ts';

/**
 * As `docker run --read-only --cap-drop ALL --security-opt no-new-privileges --network host` does: the image's root is read-only, its
 * command is process 1 of its own, runs as the image's user and has no rights. Only the kernel's own parts are used, because
 * buildah's chroot isolation has neither a read-only root nor a process 1.
 */
const RUN = `
root=$1 user=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do mount --bind "$1" "$root$2"; shift 2; done
shift
cd "$root"
exec chroot "$root" setpriv --reuid "\${user%:*}" --regid "\${user#*:}" --clear-groups \\
  --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all env --ignore-environment "$@"`;

export type ContainerOptions = {
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of this machine by their place in the container. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** Arguments in place of the image's. */
  readonly args?: readonly string[];
};

/** A container that was started. The test's end kills it, as does the end of this process. */
export type Container = Child & { output(): string };

/** Starts an image. Ending the child in order sends SIGTERM to its process 1, as `docker stop` does. */
export async function startContainer(t: Ending, image: BuiltImage, options: ContainerOptions = {}): Promise<Container> {
  const { config, root } = image;
  const { env = {}, volumes = {}, args = config.Cmd } = options;
  const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const mounts = Object.entries(volumes).flatMap(([place, folder]) => [folder, place]);
  const command = ['--chdir=/', ...variables, ...config.Entrypoint, ...args];
  let output = '';
  const child = await startChild({
    command: 'unshare',
    args: [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      ...['sh', '-euc', RUN, 'sh'],
      root,
      config.User,
      ...mounts,
      '--',
      ...command,
    ],
    env: { PATH: process.env.PATH },
    graceMs: 150_000,
    onOutput(text) {
      output += text;
    },
  });
  atEnd(t, () => child.stop({ signal: 'SIGKILL' }));
  return { ...child, output: () => output };
}
