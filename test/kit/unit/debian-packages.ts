/** Programs of Debian that deep tests need: databases in a cluster, proxies, builders of images, linters of deployment files, C#. */
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { aptGet, canInstall, isOnPath, mayInstall } from '../../../scripts/apt.mjs';

/** What shows that a package is installed: the name of a program, or a pattern of a path. */
const SHOWN_BY = {
  buildah: 'buildah',
  'docker-compose': 'docker-compose',
  'etcd-client': 'etcdctl',
  'etcd-server': 'etcd',
  faketime: 'faketime',
  haproxy: 'haproxy',
  iproute2: 'ip',
  iptables: 'iptables',
  'libmono-system-net-http4.0-cil': '/usr/lib/mono/gac/System.Net.Http/*/System.Net.Http.dll',
  'libnewtonsoft-json5.0-cil': '/usr/lib/mono/gac/Newtonsoft.Json/*/Newtonsoft.Json.dll',
  'libnunit-console-runner2.6.3-cil': '/usr/lib/mono/gac/nunit-console-runner/*/nunit-console-runner.dll',
  'libnunit-framework2.6.3-cil': '/usr/lib/mono/gac/nunit.framework/*/nunit.framework.dll',
  mmdebstrap: 'mmdebstrap',
  'mono-devel': '/usr/lib/mono/4.5/Facades/netstandard.dll',
  'mono-mcs': 'mcs',
  'mono-runtime': 'mono',
  nuget: 'nuget',
  patroni: 'patroni',
  pgbouncer: 'pgbouncer',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  prometheus: 'promtool',
  shellcheck: 'shellcheck',
  systemd: 'systemd-analyze',
  yamllint: 'yamllint',
} as const;

export type DebianPackage = keyof typeof SHOWN_BY;

const CONSENT = 'QUARTERS_INSTALL_PACKAGES';
/** Debian asks this file before it starts a service of a package. Ours only need the programs. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Says why a test that needs these packages is skipped, or false if they are there. With CI=true, or with
 * QUARTERS_INSTALL_PACKAGES=1, root installs them first: `describe('…', { skip: skipWithout('haproxy') }, …)`. Most of
 * these programs work as root only, or are in folders that only root has on its PATH, which this process then has, too.
 */
export function skipWithout(...packages: readonly DebianPackage[]): string | false {
  addFoldersOfRoot();
  const missing = () => packages.filter((name) => !isInstalled(name));
  if (missing().length > 0 && mayInstall(CONSENT)) install(missing());
  const names = missing().join(' ');
  if (names === '') return false;
  const how = canInstall() ? `run \`apt-get install ${names}\`, or set ${CONSENT}=1` : `install ${names} (Debian)`;
  return `needs programs that are not installed: ${how}`;
}

function isInstalled(name: DebianPackage): boolean {
  const shownBy = SHOWN_BY[name];
  return shownBy.startsWith('/') ? globSync(shownBy).length > 0 : isOnPath(shownBy);
}

function addFoldersOfRoot(): void {
  const folders = (process.env.PATH ?? '').split(':');
  process.env.PATH = [...folders, ...['/usr/sbin', '/sbin'].filter((folder) => !folders.includes(folder))].join(':');
}

function install(packages: readonly DebianPackage[]): void {
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    // The lists may be there, and old lists still name most packages.
    const get = () => aptGet('install', '-y', '--no-install-recommends', ...packages);
    if (!get() && aptGet('update')) get();
  } finally {
    if (isOurs) rmSync(POLICY, { force: true });
  }
}
