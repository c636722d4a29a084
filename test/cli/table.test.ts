import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { readableAmount } from '../../src/cli/amount.ts';
import { formatFacts, formatTable } from '../../src/cli/table.ts';

describe('formatTable', () => {
  it('aligns columns, numbers to the right, and leaves no space at the ends of lines', () => {
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

  it('is the header alone where there are no rows', () => {
    assert.equal(formatTable([{ title: 'A' }, { title: 'B' }], []), 'A  B\n');
  });

  it('shows control characters of a name as what they are: nothing of ours', () => {
    assert.equal(formatTable([{ title: 'A' }], [['x\u001b[31m\ny\u202e']]), 'A\nx�[31m�y�\n');
  });
});

describe('formatFacts', () => {
  it('aligns the values', () => {
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
  it('has thousands, and one quarter is one quarter', () => {
    assert.equal(readableAmount(asQuarters(1)), '1 quarter');
    assert.equal(readableAmount(asQuarters(1234567)), '1,234,567 quarters');
  });
});
