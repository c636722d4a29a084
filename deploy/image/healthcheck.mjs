/** What the image's HEALTHCHECK runs: succeeds if the process of this container answers. It does not ask database or chain. */
const { HOST = '0.0.0.0', PORT = '8080' } = process.env;
const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST;
const response = await fetch(`http://${host}:${PORT}/healthz`);
process.exitCode = response.ok ? 0 : 1;
