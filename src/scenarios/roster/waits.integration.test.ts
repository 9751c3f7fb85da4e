import { it } from 'vitest';
import { waitsAsSeeded } from '../../../test/runs/waits.js';

it('clients that are cut wait as the seed says before ws, by wire', () => waitsAsSeeded('ws', 'wire', 'term'));
