import { networkInterfaces } from 'node:os';
import { isPrivateAddress } from '../config/development.ts';
import { readSettings } from '../config/read-settings.ts';
import { SettingsError } from '../config/settings-error.ts';

/**
 * Where a try-out listens that phones of the developer's network reach: the settings HOST and PUBLIC_URL. Throws a {@link SettingsError} beside
 * settings that are not a try-out's, and if this machine has no address in a private network.
 */
export function lanEnvironment(
  env: NodeJS.ProcessEnv,
  interfaces = networkInterfaces(),
): { readonly HOST: string; readonly PUBLIC_URL: string } {
  const taken = ['DATABASE_URL', 'CHAIN_RPC_URL', 'HOST', 'PUBLIC_URL', 'TRUST_PROXY'].filter((name) => env[name]);
  if (taken.length > 0)
    throw new SettingsError([`--lan is for a try-out and chooses its address itself: unset ${taken.join(', ')}`]);
  const { port } = readSettings(env);
  if (port === 0) throw new SettingsError(['--lan needs a PORT: phones have to know it']);
  const address = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal, address }) => family === 'IPv4' && !internal && isPrivateAddress(address))?.address;
  if (!address) throw new SettingsError(['--lan finds no address of this machine in a private network (RFC 1918)']);
  return { HOST: address, PUBLIC_URL: `http://${address}:${port}` };
}
