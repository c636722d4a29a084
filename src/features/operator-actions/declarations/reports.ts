import { declareAction } from '../declaration.ts';

export const REPORT_ACTIONS = [
  declareAction({
    name: 'resolve-report',
    title: 'Resolve a report',
    fields: {
      report: { kind: 'report', label: 'Report', typed: ['<id>', 'the report id, as printed by `reports list`'] },
    },
    forms: [{ on: 'report', button: 'Resolve…' }],
    command: {
      path: 'reports resolve',
      description: 'Mark a report as resolved.',
      question: 'Mark it as resolved?',
      examples: ['reports resolve 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f'],
      report: ({ typed: { report: id } }) => [{ id, resolved: true }, `Resolved report ${id}.`],
    },
    deed: async () => (await import('../deeds/resolve-report.ts')).RESOLVE_REPORT,
  }),
];
