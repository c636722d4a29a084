import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPlayer, sharedGame } from '../kit/service/player.ts';

/** The page's text without markup. */
const wordsOf = (body: string) => body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('the approval page says what comes from the reward and what from the balance', async (t) => {
  const { s, game } = await sharedGame(t);
  const player = await newPlayer(s, game, 100);
  const words = async (amount: number) => wordsOf((await (await player.ask(amount)).open()).body);

  await t.test('a player without a reward reads nothing about rewards', async () => {
    const said = await words(30);
    assert.match(said, /Balance 100 quarters Balance after 70 quarters/);
    assert.doesNotMatch(said, /reward/);
  });

  await player.grant(40);
  await t.test('a payment from reward and balance names both parts', async () => {
    assert.match(
      await words(55),
      /Balance 100 quarters Balance after 85 quarters Your reward 40 quarters You pay 40 from your reward, 15 from your balance/,
    );
  });

  await t.test('a payment covered by the reward leaves the balance unchanged', async () => {
    assert.match(await words(1), /Balance after 100 quarters .*You pay 1 from your reward, 0 from your balance/);
  });

  await t.test('a payment above reward and balance together names what is missing', async () => {
    const said = await words(141);
    assert.match(said, /You need 1 more quarter to approve this/);
    assert.doesNotMatch(said, /You pay|Balance after/);
    assert.match((await (await player.ask(141)).open()).body, /value="later"/);
    assert.match(await words(140), /Balance after 0 quarters .*You pay 40 from your reward, 100 from your balance/);
  });
});
