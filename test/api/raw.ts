import { connect } from 'node:net';

/** Sends bytes as they are and resolves with all that came back, once the other side has closed. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, 'localhost', () => socket.write(text));
    let received = '';
    socket.on('data', (data) => (received += data));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
