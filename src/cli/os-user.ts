import { userInfo } from 'node:os';

/** The operating system's user who runs this process. A container may run under a user id that has no name. */
export function osUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
