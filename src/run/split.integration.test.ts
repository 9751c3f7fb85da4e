import { it } from 'vitest';
import { splitRun } from '../../test/runs/split.js';

it('one job against socketio has the same ledger when it is split 3 ways', () => splitRun('socketio', 3));
