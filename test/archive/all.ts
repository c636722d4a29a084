import { importTests } from '../kit/run/import-tests.ts';

await importTests(import.meta.dirname);
