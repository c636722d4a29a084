import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { Column } from '../../src/base/columns.ts';
import { columnsFor, type Facts } from '../../src/base/facts.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { type CliContext, print } from '../../src/cli/command.ts';
import { formatFacts, formatTable, readableAmount } from '../../src/cli/format.ts';
import { listed, shown } from '../../src/cli/reading.ts';

const A = { label: 'A', value: (name: string) => name };
const B = { label: 'B', value: () => 'x' };

describe('formatTable', () => {
  it('aligns columns, with numbers to the right and no trailing spaces', () => {
    const table = formatTable<readonly [name: string, quarters: bigint, note: string]>(
      [
        { label: 'Name', value: ([name]) => name },
        { label: 'Quarters', kind: 'number', value: ([, quarters]) => quarters },
        { label: 'Note', value: ([, , note]) => note },
      ],
      [
        ['Space Race', 1_000n, 'first'],
        ['Ünder 🚀', 7n, ''],
      ],
    );
    assert.equal(
      table,
      ['NAME        QUARTERS  NOTE', 'Space Race     1,000  first', 'Ünder 🚀            7', ''].join('\n'),
    );
  });

  it('writes a time, a sign and what is missing in its own way', () => {
    const columns: Column<bigint | null>[] = [
      { label: 'Time', value: () => new Date('2026-01-31T12:00:00.500Z') },
      { label: 'Moved', kind: 'signed', value: (amount) => amount },
    ];
    const line = (amount: bigint | null) => formatTable(columns, [amount]).split('\n')[1];
    assert.equal(line(1_000n), '2026-01-31 12:00:00Z  +1,000');
    assert.equal(line(-1_000n), '2026-01-31 12:00:00Z  -1,000');
    assert.equal(line(null), '2026-01-31 12:00:00Z      -');
  });

  it('prints only the header if there are no rows', () => {
    assert.equal(formatTable([A, B], []), 'A  B\n');
  });

  it('replaces control characters in a name', () => {
    assert.equal(formatTable([A], ['x\u001b[31m\ny\u202e']), 'A\nx�[31m�y�\n');
  });

  it('keeps the joiners of emoji and of scripts that need them, and replaces those that only hide', () => {
    const named = (name: string) => formatTable([A, B], [name]).split('\n')[1];
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

describe('facts of a thing', () => {
  type Thing = { readonly amount: bigint; readonly at: Date | null; readonly uris: readonly string[] };
  const FACTS: Facts<Thing> = {
    quarters: { label: 'Amount', kind: 'number', value: ({ amount }) => amount },
    at: { label: 'Time', value: ({ at }) => at },
    uris: { label: 'Goes to', value: ({ uris }) => uris },
    isMany: { value: ({ amount }) => amount > 1n },
    size: { label: 'Size', text: ({ amount }) => (amount > 1n ? 'large' : null) },
    left: { value: () => undefined },
  };
  const thing: Thing = { amount: 1_234n, at: new Date('2026-01-31T12:00:00.500Z'), uris: ['a', 'b'] };

  it('are for programs by name and in order, and for people with their labels', () => {
    const { json, text } = shown(FACTS, thing, 'Below\n');
    assert.deepEqual(Object.entries(json), [
      ...[
        ['quarters', 1_234n],
        ['at', thing.at],
        ['uris', ['a', 'b']],
        ['isMany', true],
        ['left', undefined],
      ],
    ]);
    const lines = [
      'Amount   1,234 quarters',
      'Time     2026-01-31 12:00:00Z',
      'Goes to  a',
      'Goes to  b',
      'Size     large',
    ];
    assert.equal(text, `${lines.join('\n')}\n\nBelow\n`);
  });

  it('leave out what there is not, and are columns of a list', () => {
    const least: Thing = { amount: 1n, at: null, uris: [] };
    assert.equal(shown(FACTS, least).text, 'Amount  1 quarter\n');
    const { quarters, at, size } = FACTS;
    const columns = columnsFor<Thing>({ quarters: quarters!, at: at!, size: size! });
    assert.equal(formatTable(columns, [least]), 'AMOUNT  TIME  SIZE\n     1  -     -\n');
  });

  it('are printed as JSON with whole numbers and times', async () => {
    const out = new PassThrough();
    print({ out, err: out } as unknown as CliContext, { json: true }, shown(FACTS, thing));
    out.end();
    const json = { quarters: 1_234, at: '2026-01-31T12:00:00.500Z', uris: ['a', 'b'], isMany: true };
    assert.deepEqual(JSON.parse(await readAll(out)), json);
  });
});

describe('a list', () => {
  it('says that it is empty, and where the next page begins', () => {
    assert.equal(listed({}, [A], [], { none: 'Nothing.' }).text, 'Nothing.\n');
    const more = '\nThere are more. Continue with --after 17\n';
    const { text, hint } = listed({}, [A], ['x'], { none: 'Nothing.', next: '17' });
    assert.deepEqual([text, hint], ['A\nx\n', more]);
  });
});

describe('readableAmount', () => {
  it('separates thousands and writes one quarter in the singular', () => {
    assert.equal(readableAmount(asQuarters(1)), '1 quarter');
    assert.equal(readableAmount(asQuarters(1234567)), '1,234,567 quarters');
  });
});
