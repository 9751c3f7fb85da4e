import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { asJson, named, refusal } from '../../../test/refusal.js';
import { begin, results, suiteFile } from '../../../test/runs/suite.js';

it('a suite is refused before any load if its file is wrong', async () => {
  const file = suiteFile('wrong', '  - { scenario: latency, options: { drain: 5 } }\n');
  const refused = await refusal(begin(file, [], asJson));
  expect(refused).toContainEqual(named('badFile', 'entries[2].options.drain'));
  expect(refused).toContainEqual(named('badFile', 'name'));
  expect(existsSync(results)).toBe(false);
});
