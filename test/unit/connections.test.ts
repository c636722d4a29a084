import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { test } from 'node:test';
import { type ConnectionLimits, limitConnections } from '../../src/http/connections.ts';

/** A server to hand connections to. `connect` returns whether it kept one. */
function serverWith(limits: ConnectionLimits) {
  const server = new EventEmitter();
  const logged: string[] = [];
  limitConnections(server as Server, limits, (setting, open) => logged.push(`${setting} ${open}`));
  const connect = (remoteAddress: string | undefined) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      isOpen: true,
      destroy() {
        if (socket.isOpen) socket.emit('close');
        socket.isOpen = false;
      },
    });
    server.emit('connection', socket);
    return socket;
  };
  return { connect, logged };
}

test('connections over the limit are closed, and an ended one makes room', () => {
  const { connect, logged } = serverWith({ most: 3, mostPerAddress: null });
  const [first] = [connect('192.0.2.1'), connect('192.0.2.1'), connect('127.0.0.1')];
  for (let i = 0; i < 5; i++) assert.equal(connect('192.0.2.2').isOpen, false);
  assert.deepEqual(logged, ['MAX_CONNECTIONS 3'], 'said once, not for each');
  first!.destroy();
  assert.equal(connect('192.0.2.2').isOpen, true);
  assert.equal(connect('192.0.2.3').isOpen, false);
});

test('one address may have only its share; IPv6 counts by /64, and this machine counts too', () => {
  const { connect, logged } = serverWith({ most: 100, mostPerAddress: 2 });
  for (const [one, other] of [
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2'],
  ]) {
    const sockets = [connect(one), connect(other)];
    assert.ok(sockets.every(({ isOpen }) => isOpen));
    assert.equal(connect(one).isOpen, false);
    assert.equal(connect(other).isOpen, false);
    sockets[0]!.destroy();
    assert.equal(connect(other).isOpen, true);
    assert.equal(connect(one).isOpen, false);
  }
  assert.equal(connect('2001:db8:0:2::1').isOpen, true);
  assert.deepEqual(logged, ['MAX_CONNECTIONS_PER_ADDRESS 2']);
  for (let i = 0; i < 5; i++) assert.equal(connect(undefined).isOpen, true, 'gone already');
});
