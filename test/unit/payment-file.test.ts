import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPaymentFile } from '../../src/wings/pay-files/features/payment-file.ts';

const A = '0x2ea68ef786e4d3cea27d26934b484e73cf575dca';
const B = '0xd6ba2b0aee0ca923732881584d8c4fa2815d2802';

/** Base. */
const CHAIN = 8453;

type Given = { readonly recipient?: string; readonly quarters?: string };
const read = (content: string | Uint8Array, columns?: Given) =>
  readPaymentFile(typeof content === 'string' ? Buffer.from(content) : content, CHAIN, columns);

function fileOf(content: string | Uint8Array, columns?: Given) {
  const result = read(content, columns);
  if ('faults' in result) assert.fail(JSON.stringify(result.faults));
  return result.file;
}

function faultsOf(content: string | Uint8Array): string[] {
  const result = read(content);
  assert.ok('faults' in result, 'it was read');
  return result.faults.map(({ line, fault }) => `${line}: ${fault}`);
}

const rowsOf = (content: string | Uint8Array) =>
  fileOf(content).rows.map(({ recipient, amount, note }) => [recipient, Number(amount), note]);

const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

test('files as spreadsheets save them are read', () => {
  const rows = [
    [A, 250, 'Third place'],
    [B, 100, ''],
  ];
  const plain = `recipient,quarters,note\n${A},250,Third place\n${B},100,\n`;
  const tabs = plain.replaceAll(',', '\t').replaceAll('\n', '\r\n');
  for (const [what, content] of Object.entries({
    plain,
    'a mark and CRLF': `\uFEFF${plain.replaceAll('\n', '\r\n')}`,
    'CR alone': plain.replaceAll('\n', '\r'),
    semicolons: plain.replaceAll(',', ';'),
    'a vertical line': plain.replaceAll(',', '|'),
    tabs,
    'a sep= line': `sep=,\r\n${plain}`,
    'a sep= line with another separator': `sep=;\r\n${plain.replaceAll(',', ';')}`,
    'UTF-16, little end first': utf16(`\uFEFF${tabs}`),
    'UTF-16, big end first': utf16(`\uFEFF${tabs}`, true),
    'UTF-16 without a mark': utf16(tabs),
    quotes: plain.replaceAll(/[^,\n]+/g, '"$&"'),
    'quotes with spaces around': plain.replaceAll(/[^,\n]+/g, ' "$&" '),
    'separators of empty columns': plain.replaceAll('\n', ',,,\n'),
    'lines of empty columns': `${plain},,\n,,,\n`,
    'no separators of empty columns': plain.replace('100,', '100'),
    'spaces that nobody sees': plain.replaceAll(',', '\u00A0,\u200B\u202F').replace('0x', '\u2060\uFEFF0x'),
    'a guard of addresses': plain.replaceAll(/0x\w+/g, '="$&"'),
    'a guard in quotes': plain.replaceAll(/0x\w+/g, '"=""$&"""'),
    'other columns, in another order': `rank,note,quarters,recipient\n1,Third place,250,${A}\n2,,100,${B}\n`,
    'usual names': plain.replace('recipient,quarters,note', 'Wallet Address,AMOUNT,Comment'),
  })) {
    assert.deepEqual(rowsOf(content), rows, what);
  }
});

test('what a file means does not depend on how it is saved, and each row on nothing but what it says', () => {
  const plain = fileOf(`recipient,quarters,note\n${A},5,x\n${A},5,x\n${B},7,y\n`);
  const saved = fileOf(
    `\uFEFFnote;amount;address\r\ny;7;${B.toUpperCase().replace('X', 'x')}\r\nx;5;${A}\r\nx;5;${A}\r\n`,
  );
  assert.deepEqual(saved.meaning, plain.meaning);
  assert.notDeepEqual(saved.hash, plain.hash);
  assert.equal(new Set(plain.rows.map(({ identity }) => identity.toString('hex'))).size, 3, 'equal rows are counted');
  const corrected = fileOf(`recipient,quarters,note\n${A},5,x\n${B},8,y\n`);
  assert.deepEqual(corrected.rows[0]!.identity, plain.rows[0]!.identity);
  assert.notDeepEqual(corrected.rows[1]!.identity, plain.rows[2]!.identity);
  assert.notDeepEqual(corrected.meaning, plain.meaning);
});

test('a value that is not plain is refused with its line, its column, what it is and what to do', () => {
  const faultOf = (recipient: string, quarters: string) => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    return faultsOf(`address,amount\n${A},1\n${cell(recipient)},${cell(quarters)}\n`);
  };
  for (const [quarters, because] of [
    ['1,000', /^3: amount "1,000" has a thousands separator: write 1000 /],
    ['1 000', /thousands separator: write 1000/],
    ['1\u00A0000', /thousands separator: write 1000/],
    ["1'000", /thousands separator: write 1000/],
    ['1.000', /thousands separator: write 1000/],
    ['1,234,567', /thousands separator: write 1234567/],
    ['100.00', /has decimals: write 100$/],
    ['15.430385734644815', /quarters are whole: round it, to 15 /],
    ['1E+05', /shortened by a spreadsheet.*format the column/],
    ['2.5E+04', /shortened by a spreadsheet/],
    ['$100', /more than a number in it: write only digits/],
    ['100 QTR', /more than a number in it/],
    ['+5', /has a sign: write 5$/],
    ['-5', /is negative/],
    ['007', /zeros in front: write 7$/],
    ['0', /is nothing: leave the line out/],
    ['', /amount "" is empty/],
    ['9007199254740992', /is more than 9007199254740991/],
    ['99999999999999999999', /is more than 9007199254740991/],
    ['all', /is not a number/],
  ] as const) {
    const [fault, ...others] = faultOf(A, quarters);
    assert.match(fault!, because, quarters);
    assert.deepEqual(others, [], quarters);
  }
  for (const [recipient, because] of [
    ['', /^3: address "" is empty/],
    [A.slice(2), new RegExp(`lacks its beginning: write ${A}`)],
    [A.slice(0, 40), /has 38 digits after 0x, and an address has 40/],
    ['0x2ea6…5dca', /is not an address/],
    [`0X${A.slice(2)}`, /begins with 0X: write 0x/],
    ['0x52908400098527886E0F7030069857D2E4169Ee7', /wrong checksum/],
    ['alisha-example.eth', /is a name, and names are not looked up: write the address/],
    ['two words', /has a space in it/],
  ] as const) {
    const [fault, ...others] = faultOf(recipient, '5');
    assert.match(fault!, because, recipient);
    assert.deepEqual(others, [], recipient);
  }
  assert.equal(faultOf('0x12', '1,000').length, 2, 'each fault of a line is named');
});

test('a header says which columns there are, or is told which is which', () => {
  const row = `\n${A},5,9\n`;
  for (const [content, because] of [
    [`${A},5\n`, /^1: the first line is a row and not the header.*put a line above it .* such as recipient,quarters$/],
    [`${A};5;x;y\n`, /such as recipient;quarters;note$/],
    ['alisha-example.eth,1\n', /first line is a row/],
    ['ada@game.example,12\n', /first line is a row/],
    [
      `who,amount,rank${row}`,
      /no column for recipient, but "who", "amount", "rank": the columns are recipient, quarters and/,
    ],
    [`address,points,rank${row}`, /no column for quarters/],
    [
      `address,amount,value${row}`,
      /"amount", "value", and each may be quarters: say which with --columns quarters=amount/,
    ],
    [`recipient,quarters,quarters${row}`, /each may be quarters: give the columns different names in the file/],
    [`recipient,"Amount,",amount,amount${row}`, /each may be quarters: give the columns different/],
    [`account,To Address,quarters${row}`, /say which with --columns recipient=account$/],
    [`To Address,wallet address,quarters${row}`, /say which with --columns 'recipient=To Address'$/],
    ['', /has no header/],
    ['recipient,quarters\n', /has no rows/],
    [Buffer.from('recipient,quarters\nad\xe9,5\n', 'latin1'), /neither UTF-8 nor UTF-16: save it as CSV in UTF-8/],
  ] as const) {
    assert.match(faultsOf(content).join('\n'), because);
  }
  const file = fileOf(`who,amount,value${row}`, { recipient: 'who', quarters: 'value' });
  assert.deepEqual(
    [Number(file.rows[0]!.amount), file.columns.recipient, file.leftOut],
    [9, { place: 0, name: 'who' }, ['amount']],
  );
});

test('a title or a comment above the header is named as such, with the line that is the header', () => {
  const table = `recipient,quarters,note\n${A},5,\n${B},7,\n`;
  const semicolons = table.replaceAll(',', ';');
  const is = (title: string, line: number) =>
    `1: ${JSON.stringify(title)} looks like a title or a comment, and line ${line} like the header, which must come first: delete what is above it`;
  for (const [what, content, expected] of [
    ['a title', `Tournament 2026-11\n${table}`, is('Tournament 2026-11', 2)],
    ['a title padded by a spreadsheet', `Tournament 2026-11,,\r\n,,\r\n${table}`, is('Tournament 2026-11', 3)],
    ['a title that is not in the first cell', `;Season 7;\n${semicolons}`, is('Season 7', 2)],
    ['a title of two cells', `Prizes,2026\n${table}`, is('Prizes', 2)],
    ['a title of one usual name', `Rewards\n${table}`, is('Rewards', 2)],
    ['a title with quotes in it', `The "Autumn" Cup\n${table}`, is('The "Autumn" Cup', 2)],
    ['a title with an open quote', `"Autumn Cup\n${table}`, is('"Autumn Cup', 2)],
    ['another separator than the table', `Prizes, season 7\n\n${semicolons}`, is('Prizes', 3)],
    ['a comment', `# payouts\n${table}`, is('# payouts', 2)],
    ['comments', `# payouts\n# of season 7, second half\n//\n${table}`, is('# payouts', 4)],
    ['below a sep= line', `sep=;\nSeason 7\n${semicolons}`, is('Season 7', 3).replace('1:', '2:')],
    ['in UTF-16', utf16(`\uFEFFSeason 7\n${table}`), is('Season 7', 2)],
    ['a header with other names', `Season 7\nwho,points\n${A},5\n`, is('Season 7', 2)],
    [
      'and no header',
      `# payouts\n${A};5\n`,
      '1: "# payouts" looks like a title or a comment, and line 2 like a row: put the header in its place, such as recipient;quarters',
    ],
  ] as const)
    assert.deepEqual(faultsOf(content), [expected], what);
  const named = read(`Season 7\nwho,points\n${A},5\n`, { recipient: 'who', quarters: 'points' });
  assert.deepEqual('faults' in named && named.faults.map(({ fault }) => `1: ${fault}`), [is('Season 7', 2)]);
  // A header of one column, and a table far below, are no titles.
  assert.match(faultsOf(`recipient\n${A},5\n`)[0]!, /no column for quarters, but "recipient"/);
  assert.match(faultsOf(`${A},5\nrecipient,quarters\n${B},7\n`)[0]!, /the first line is a row/);
});

test('addresses as wallets copy them are read where their chain is ours, and refuse the file where it is not', () => {
  const written = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const forms = ['base:', 'ethereum:', 'ethereum:pay-', 'eip155:8453:'].map((before) => `${before}${written}`);
  const rows = [written, ...forms, `ethereum:${written}@8453`].map((one) => `${one},5\n`);
  const file = fileOf(`recipient,quarters\n${rows.join('')}`);
  assert.deepEqual([...new Set(file.rows.map(({ recipient }) => recipient))], [written]);
  const plain = fileOf(`recipient,quarters\n${`${written},5\n`.repeat(rows.length)}`);
  assert.deepEqual(file.meaning, plain.meaning, 'it is the same payment');
  const quarters = 'and quarters are on Base (8453): if it is theirs there too, write';
  assert.deepEqual(
    faultsOf(`recipient,quarters\n${A},1\neth:${written},5\n${B},2\nethereum:${B}@1,3\n`),
    [
      `3: recipient "eth:${written}" is an address on Ethereum (1), ${quarters} ${written}`,
      `5: recipient "ethereum:${B}@1" is an address on Ethereum (1), ${quarters} ${B}`,
    ],
    'and the other rows are not paid',
  );
  assert.match(
    faultsOf(`recipient,quarters\nethereum:${B}/transfer?address=${A}&uint256=5,5\n`)[0]!,
    /has more than an address in it: write the address alone/,
  );
  assert.match(faultsOf(`eth:${A},5\n`)[0]!, /the first line is a row/);
  assert.deepEqual(rowsOf(`recipient,quarters\n${written}@ethermail.example,5\n`), [
    [`${written}@ethermail.example`, 5, ''],
  ]);
});

/** Nearly the most that is read. */
const BIG = 19_000_000;
/** Far more than an expression's stack. */
const LARGE = 8_000_000;

test('a quote that is never closed is named with the line where it opens, in a file of any size', () => {
  const rows = `${A},5,fine\n`.repeat(3);
  const never = 'a quote (") opens here and is never closed: close it, or take it out';
  assert.deepEqual(faultsOf(`recipient,quarters,note\n${rows}${A},5,"x\n${A},5,\n`), [`5: ${never}`]);
  assert.deepEqual(faultsOf(`recipient,quarters,note\n"two\nlines",5,"x\n${A},5,\n`)[0], `3: ${never}`);
  const [first, ...others] = faultsOf(`recipient,quarters,note\n${A},5,"${'x'.repeat(BIG)}`);
  assert.deepEqual([first, others], [`2: ${never}`, []]);
  const many = faultsOf(`recipient,quarters,note\n"${`${A},5,x\n`.repeat(BIG / 47)}`);
  assert.deepEqual(many, ['1: the file has more than 100000 rows: split it into smaller ones', `2: ${never}`]);
  assert.deepEqual(faultsOf(`"recipient,quarters,note\n${A},5,x\n`), [`1: ${never}`]);
});

test('a file that is no table ends with a sentence, whatever it is made of', () => {
  const header = 'recipient,quarters,note\n';
  for (const [what, content, because] of [
    ['one line without an end', 'x'.repeat(LARGE), /^1: a field has more than 100000 characters$/],
    ['a row without an end', `${header}${A},${'5'.repeat(LARGE)}`, /^2: a field has more than 100000 characters$/],
    ['columns in the header', ','.repeat(LARGE), /^1: it has more than 16384 fields$/],
    ['columns in a row', `${header}${A}${',x'.repeat(LARGE / 2)}\n`, /^2: it has more than 16384 fields$/],
    ['empty columns', `${header}${`${','.repeat(16_000)}\n`.repeat(LARGE / 16_001)}`, /^1: the file has no rows$/],
    ['quotes only', '"'.repeat(LARGE), /^1: a field has more than 100000 characters$/],
    ['an odd quote', '"'.repeat(LARGE + 1), /^1: a quote \("\) opens here and is never closed/],
    ['lines of one quote', '"\n'.repeat(LARGE / 2), /^1: the header has no column for recipient: the columns are/],
    [
      'lines of three quotes',
      `${header}${'"""\n'.repeat(LARGE / 4)}`,
      /^1: the file has more than 100000 rows: split it into smaller ones$|^2: /,
    ],
    [
      'faults',
      `${header}${'a"\n'.repeat(LARGE / 3)}`,
      /^1: the file has more than 100000 rows: split it into smaller ones$/,
    ],
    [
      'rows',
      `${header}${'a\n'.repeat(LARGE / 2)}`,
      /^1: the file has more than 100000 rows: split it into smaller ones$/,
    ],
    ['line breaks', '\n'.repeat(LARGE), /^1: the file has no header/],
    ['line breaks in quotes', `${header}"${'\r\n'.repeat(LARGE / 2)}"`, /^2: a field has more than 100000/],
    ['zeros', Buffer.alloc(LARGE), /./],
    [
      'spaces',
      `${header}${A},5,${`x${' '.repeat(99_000)}x,`.repeat(100)}`,
      /^2: (?:it has 103 fields|note .* shorten it)/,
    ],
    ['names of columns', `${'a name,'.repeat(16_000)}\n${A},5`, /^1: .*"a name", and \d+ more: the columns are/],
    ['digits', `${header}${A},${'0'.repeat(99_000)}x`, /^2: quarters "0+…" is too long for a number/],
    [
      'a NUL in a recipient',
      `${header}a\0@game.example,5`,
      /^2: recipient .* has a control character in it: take it out$/,
    ],
    ['a NUL in an amount', `${header}${A},5\0`, /^2: quarters "5\\u0000" is not a number/],
    ['a NUL in a note', `${header}${A},5,a\0b`, /^2: note .* has a control character in it: take it out$/],
  ] as const) {
    const faults = faultsOf(content);
    assert.match(faults[0]!, because, what);
    assert.ok(faults.join().length < 20_000_000, what);
  }
});
