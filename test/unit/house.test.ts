import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWings } from '../../src/config/wings.ts';
import { KEPT } from '../../src/jobs/additions.ts';
import { extensionPoint, houseOf, loadAll, type Wing } from '../../src/service/house.ts';
import { ACCOUNT_CLOSED, HISTORY_CHANGED, TAKEN_BACK } from '../../src/service/moments.ts';
import { WINGS } from '../../src/wings.ts';

const LINKS = extensionPoint<string>('links');
const RULES = extensionPoint<string>('rules', { evenLeftOut: true });
const wing = (name: string): Wing => ({
  name,
  mount(house) {
    house.add(LINKS, `/${name}`, `/${name}/more`);
    house.add(RULES, name);
  },
});
const SOME = [wing('shop'), wing('call-log'), wing('map')];

test('a house has what its wings add, in their order', () => {
  const { of, leftOut } = houseOf(SOME);
  assert.deepEqual(of(LINKS), ['/shop', '/shop/more', '/call-log', '/call-log/more', '/map', '/map/more']);
  assert.deepEqual([leftOut, houseOf([]).of(LINKS)], [[], []]);
});

test('the setting chooses wings by name, or leaves some out, and of those the rules stay', () => {
  const chosen = (text: string) => {
    const { of, leftOut } = houseOf(SOME, parseWings(text));
    assert.deepEqual(of(RULES), ['shop', 'call-log', 'map'], text);
    return [of(LINKS).filter((path) => !path.endsWith('more')), leftOut.map(({ name }) => name)];
  };
  assert.deepEqual(chosen('all'), [['/shop', '/call-log', '/map'], []]);
  assert.deepEqual(chosen('none'), [[], ['shop', 'call-log', 'map']]);
  assert.deepEqual(chosen(' map, shop'), [['/shop', '/map'], ['call-log']]);
  assert.deepEqual(chosen('-call-log,-shop'), [['/map'], ['shop', 'call-log']]);
  for (const text of ['none,map', '-all', 'Map', 'map,-shop', 'map,', '-', 'a b']) {
    assert.throws(() => parseWings(text), /must be all, none, names such as/, text);
  }
  assert.throws(() => houseOf(SOME, parseWings('-pam')), /names pam, which is none. There are: shop, call-log, map/);
});

test('what a wing has stored is forgotten, withdrawn and counted again while it is left out', async () => {
  const [all, none] = [houseOf(WINGS), houseOf(WINGS, parseWings('none'))];
  const names = async (house: typeof all) => (await loadAll(house, KEPT)).flatMap((kept) => Object.keys(kept));
  assert.deepEqual(await names(none), await names(all));
  assert.deepEqual((await names(all)).sort(), [
    'forget API calls',
    'forget counts of API calls',
    'forget hours of the economy',
    'forget refusals',
  ]);
  for (const moment of [ACCOUNT_CLOSED, HISTORY_CHANGED, TAKEN_BACK]) {
    assert.equal(none.of<unknown>(moment as never).length, 1, moment.says);
  }
});
