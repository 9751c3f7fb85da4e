import { expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';
import { greetAll } from './dispatch.js';
import { ShardClient } from './shard-client.js';

const place = workplace();

it('one bench-runner is refused as two shards, by whatever addresses', async () => {
  const [one, other] = await Promise.all([place.benchRunner(), place.benchRunner()]);
  const at = (...urls: string[]) => urls.map((url) => new ShardClient(url, undefined));
  const own = `http://127.0.0.1:${one.port}`;
  for (const again of [own, `http://localhost:${one.port}`]) {
    const greeted = greetAll(at(own, again, `http://127.0.0.1:${other.port}`));
    await expect(greeted).rejects.toMatchObject({ problems: [named('shardTwice')] });
  }
  expect(await greetAll(at(own, `http://127.0.0.1:${other.port}`))).toHaveLength(2);
});
