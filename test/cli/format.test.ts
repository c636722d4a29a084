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

  it('keeps the joiners of emoji and of scripts that need them, and replaces those that only hide', () => {
    const named = (name: string) => formatTable([{ title: 'A' }, { title: 'B' }], [[name, 'x']]).split('\n')[1];
    for (const name of ['👨\u200d👩\u200d👧', '🏳️\u200d🌈', '❤️\u200d🔥', 'می\u200cخواهم', 'ක්\u200dරීඩා', 'न्\u200d']) {
      assert.equal(named(name), `${name}  x`);
    }
    for (const joiner of ['\u200c', '\u200d']) {
      assert.equal(named(`${joiner}a${joiner}b 1${joiner}م${joiner}${joiner}`), `�a�b 1�م${joiner}�  x`);
    }
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
