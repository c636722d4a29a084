import type { Settings } from './settings.ts';

/** The public addresses. They share one origin, unless the settings move the API or put a path before the pages. */
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

/** `publicUrl` is the origin of both the pages and the OAuth issuer, because cookies and passkeys belong to one origin. */
export function basesOf(settings: Settings, publicUrl: string): Bases {
  const api = settings.apiUrl ?? publicUrl;
  return {
    api,
    devApi: settings.devApiUrl ?? api,
    signup: publicUrl + (settings.signupPath ?? ''),
    approval: publicUrl + (settings.approvalPath ?? ''),
  };
}
