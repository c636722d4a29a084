// The library warns on the console about every Node.js that is not an LTS version, even newer ones. We bring our own Node.js,
// and operators could do nothing about it. The library's other warnings pass.
const { warn } = console;
console.warn = (...what) => {
  if (!String(what[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...what);
};

export const { default: Provider, errors, interactionPolicy } = await import('oidc-provider');

console.warn = warn;
