import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { formatFacts, formatTable, readableAmount } from '../../src/cli/format.ts';

describe('formatTable', () => {
  it('aligns columns, with numbers to the right and no trailing spaces', () => {
    const table = formatTable(
      [{ title: 'NAME' }, { title: 'QUARTERS', align: 'right' }, { title: 'NOTE' }],
      [
        ['Space Race', '1,000', 'first'],
        ['Ünder 🚀', '7', ''],
      ],
    );
    assert.equal(
      table,
      ['NAME        QUARTERS  NOTE', 'Space Race     1,000  first', 'Ünder 🚀            7', ''].join('\n'),
    );
  });

  it('prints only the header if there are no rows', () => {
    assert.equal(formatTable([{ title: 'A' }, { title: 'B' }], []), 'A  B\n');
  });

  it('replaces control characters in a name', () => {
    assert.equal(formatTable([{ title: 'A' }], [['x\u001b[31m\ny\u202e']]), 'A\nx�[31m�y�\n');
  });
});

describe('formatFacts', () => {
  it('aligns the values and replaces control characters', () => {
    assert.equal(
      formatFacts([
        ['To', 'x'],
        ['Amount', 'y\n'],
      ]),
      'To      x\nAmount  y�\n',
    );
  });
});

describe('readableAmount', () => {
  it('separates thousands and writes one quarter in the singular', () => {
    assert.equal(readableAmount(asQuarters(1)), '1 quarter');
    assert.equal(readableAmount(asQuarters(1234567)), '1,234,567 quarters');
  });
});
