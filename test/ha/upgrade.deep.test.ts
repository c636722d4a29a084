import { test } from 'node:test';
import { upgradeUnderLoad, WITHOUT_HISTORY } from '../kit/service/upgrade.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { startCluster } from './cluster.ts';

const skip = WITHOUT_HISTORY || skipWithout('patroni', 'etcd-server', 'haproxy', 'postgresql', 'iproute2', 'iptables');

test('a release that does not roll takes over a cluster of the one before', { skip }, async (t) => {
  const cluster = await startCluster(t);
  await upgradeUnderLoad(t, cluster.url);
});
