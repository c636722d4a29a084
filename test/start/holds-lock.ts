// Tries to lock the given folder, prints the result and waits to be killed.
import { FolderLockedError, lockFolder } from '../../src/process/data-folder.ts';

try {
  await lockFolder(process.argv[2]!);
  console.log('won');
} catch (error) {
  console.log(error instanceof FolderLockedError ? `lost to ${error.holderPid}` : `failed: ${error}`);
}
setInterval(() => {}, 1_000);
