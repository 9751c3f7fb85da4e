import { it } from 'vitest';
import { foundOut } from '../../../test/runs/known-truth.js';

it('a target that does wrong by a known rule is found out to the last delivery by 3 shards', () => foundOut(3));
