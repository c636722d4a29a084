import { resolve } from 'node:path';
import {
  amountOrNone,
  collectorUrl,
  keyValues,
  masterKey,
  oneOf,
  optional,
  orFile,
  ratio,
  setting,
  wholeNumber,
} from './parse.ts';

/** The master key, webhooks, the audit, metrics, the log, traces and the demo. */
export const OPERATION_SETTINGS = {
  masterKeyFile: setting(
    'MASTER_KEY_FILE',
    '',
    (text) => text && resolve(text),
    'file with the 32-byte master key in hex; default QUARTERS_DATA_DIR/master.key',
  ),
  masterKey: setting('MASTER_KEY', '', optional(masterKey), 'the master key itself, 64 hex digits, instead of a file'),
  masterKeyCommand: setting(
    'MASTER_KEY_COMMAND',
    '',
    (text) => text,
    'command for `/bin/sh` that prints the master key, 64 hex digits, instead of a file; it may take ten seconds',
  ),
  recoveryKitFile: setting(
    'RECOVERY_KIT_FILE',
    '',
    (text) => text && resolve(text),
    'recovery kit with whose keys and chain an empty database begins; later it does nothing',
  ),
  webhookPrivateTargets: setting(
    'WEBHOOK_PRIVATE_TARGETS',
    'off',
    oneOf('on', 'off'),
    'on: webhooks may go to `http://` and to addresses inside our network; for development only',
  ),
  auditEverySeconds: setting(
    'AUDIT_EVERY_SECONDS',
    '3600',
    wholeNumber(0, 2_592_000),
    'seconds between audits of the ledger against the chain; 0 turns them off',
  ),
  fourEyesAbove: setting(
    'FOUR_EYES_ABOVE',
    '',
    optional(amountOrNone),
    'quarters above which an operator’s issues or rewards, also of 24 hours together, need another operator; 0: always; unset: never',
  ),
  metrics: setting(
    'METRICS',
    'local',
    oneOf('local', 'public', 'off'),
    'who may read `/metrics`: callers on this machine, everyone, nobody',
  ),
  metricsPort: setting(
    'METRICS_PORT',
    '',
    optional(wholeNumber(1, 65535)),
    'separate TCP port for `/metrics`; unset: PORT serves it',
  ),
  metricsHost: setting('METRICS_HOST', 'localhost', (text) => text, 'address that METRICS_PORT listens on'),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'least severe level that is logged',
  ),
  accessLog: setting(
    'ACCESS_LOG',
    'on',
    oneOf('on', 'off'),
    'whether the log has a line for each request (level `info`)',
  ),
  apiLog: setting(
    'API_LOG',
    'on',
    oneOf('on', 'off'),
    'whether calls of the API are recorded for the developers of the app: seven days of calls, 90 days of counts',
  ),
  traceEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    optional(collectorUrl),
    'collector of OpenTelemetry traces (OTLP over HTTP), such as `http://localhost:4318`; unset: none',
  ),
  traceHeaders: orFile(
    setting(
      'OTEL_EXPORTER_OTLP_HEADERS',
      '',
      keyValues,
      'headers for the collector, such as `authorization=Bearer%20…`, separated by commas',
    ),
  ),
  traceServiceName: setting('OTEL_SERVICE_NAME', 'quarters', (text) => text, 'name of this service in traces'),
  traceRatio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    ratio,
    'share of traces that are recorded, from 0 to 1; chosen by trace id',
  ),
  demo: setting(
    'DEMO_APP',
    'auto',
    oneOf('auto', 'on', 'off'),
    'create a demo app and run its example game; auto: only if database and chain are embedded',
  ),
  arcadePort: setting(
    'ARCADE_PORT',
    '8081',
    wholeNumber(0, 65535),
    'TCP port of the example game, on 127.0.0.1; 0, or a port in use, picks a free one',
  ),
} as const;
