import { it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { terminalText } from '../../render/document/terminal.js';
import { type ShardState, silentState, statusDocument } from './command.js';

const clock = { offsetMs: 5.5, uncertaintyMs: 2.5 };
const roundTrip = { medianMs: 3.1, worstMs: 7, asked: 9 };
const ready: ShardState = {
  ...{ url: 'http://10.0.0.7:8080', why: null, version: '0.1.0', cores: 7, cpu: 'a CPU', clockId: 'boot-7/time:[1]' },
  ...{ clock, roundTrip, engine: 'native', holder: null },
};
const held: ShardState = {
  ...ready,
  ...{ url: 'http://10.0.0.11:8080', engine: 'js', clock: { offsetMs: -181_003, uncertaintyMs: 11.2 } },
  holder: { runId: '5eed0007', driver: 'ada@laptop/7919', heldMs: 97_400 },
};
const silent = silentState('http://10.0.0.13:8080', 'did not answer (connection refused)');
const pending = silentState(null, 'pod bench-runner-3: Insufficient cpu');

it('the state of a fleet reads well', () =>
  expectGolden('fleet-status.txt', {
    free: terminalText(statusDocument([ready]), { isColored: false, columns: 120 }),
    'of several kinds': terminalText(statusDocument([ready, held, silent, pending]), {
      isColored: false,
      columns: 160,
    }),
    narrow: terminalText(statusDocument([ready, held, silent]), { isColored: false, columns: 60 }),
  }));
