import { connect } from 'node:net';

/** Sends raw bytes and resolves with everything that came back, once the server has closed the connection. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, 'localhost', () => socket.write(text));
    let received = '';
    socket.on('data', (data) => (received += data));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
