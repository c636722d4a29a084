// The types of apt.mjs, which runs on a Node that strips none.
export function isExecutable(path: string): boolean;
export function isOnPath(name: string): boolean;
export function canInstall(): boolean;
export function mayInstall(variable: string): boolean;
export function aptGet(...args: string[]): boolean;
