import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asciiDigits } from '../../src/base/digits.ts';

test('digits of every script are 0 to 9, and all else stays', () => {
  for (const digits of ['0123456789', '０１２３４５６７８９', '٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡']) {
    assert.equal(asciiDigits(`a ${digits}-²Ⅷ`), 'a 0123456789-²Ⅷ');
  }
});
