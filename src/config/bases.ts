import type { Settings } from './settings.ts';

/** The interface's addresses: all on one origin, unless the settings put the API elsewhere or a path before the pages. */
export type Bases = {
  /** `{base_url}` */
  readonly api: string;
  /** `{dev_base_url}`: where guests are created. */
  readonly devApi: string;
  /** `{signup_url}` */
  readonly signup: string;
  /** `{approval_url}` */
  readonly approval: string;
};

/** `publicUrl`: the origin of pages and issuer. They share it, because cookies and passkeys belong to one origin. */
export function basesOf(settings: Settings, publicUrl: string): Bases {
  const api = settings.apiUrl ?? publicUrl;
  return {
    api,
    devApi: settings.devApiUrl ?? api,
    signup: publicUrl + (settings.signupPath ?? ''),
    approval: publicUrl + (settings.approvalPath ?? ''),
  };
}
