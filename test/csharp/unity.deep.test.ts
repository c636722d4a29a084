import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { LIBRARY, NO_MONO } from './mono.ts';
import { assembliesIn, compileAsUnity } from './unity.ts';

const PLAYERS = ['Quarters', 'Quarters.Samples.Shop'];
const SERVERS = ['Quarters', 'Quarters.Samples.Console', 'Quarters.Samples.Shop', 'Quarters.Server'];

describe('the C# library in Unity', { skip: NO_MONO }, () => {
  test('each assembly compiles with what its definition names, on each platform that has it', async (t) => {
    for (const [defines, names] of [
      [[], PLAYERS],
      [['UNITY_WEBGL'], PLAYERS],
      [['UNITY_WEBGL', 'UNITY_EDITOR'], SERVERS],
      [['UNITY_SERVER'], SERVERS],
      [['UNITY_INCLUDE_TESTS'], [...PLAYERS, 'Quarters.Testing'].toSorted()],
    ] as const) {
      const folder = await scratchFolder(t);
      assert.deepEqual(await compileAsUnity(folder, LIBRARY, defines), names, defines.join());
      // The compiler asks for a comment, and is content with one of a parameter.
      for (const path of globSync(join(folder, '*.xml')))
        for (const [, name = '', comment = ''] of readFileSync(path, 'utf8').matchAll(
          /<member name="(.*?)">([\s\S]*?)<\/member>/g,
        ))
          assert.match(comment, /<summary>|<inheritdoc/, name);
    }
  });

  test('each sample that the package offers is an assembly', () => {
    const { samples } = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as {
      samples: { path: string }[];
    };
    assert.ok(samples.length > 1);
    const folders = assembliesIn(LIBRARY).map(({ folder }) => folder);
    for (const { path } of samples) {
      assert.ok(existsSync(join(LIBRARY, path)), path);
      assert.ok(
        folders.includes(join(LIBRARY, path)),
        `${path} has no assembly definition, so it cannot refer to the library`,
      );
    }
  });
});
