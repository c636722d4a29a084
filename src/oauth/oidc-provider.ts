// The library warns on the console, where operators look for what they should do, about every Node.js that does not call
// itself LTS, newer ones as well. We run on the one we bring. Its other warnings are let through.
const { warn } = console;
console.warn = (...what) => {
  if (!String(what[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...what);
};

export const { default: Provider, errors, interactionPolicy } = await import('oidc-provider');

console.warn = warn;
