import { workplace } from '../workplace.js';

export const place = workplace();
export const [clients, streams, each, broadcasts, warmUp] = [31, 7, 3, 35, 7];
export const sizes = ['--clients', `${clients}`, '--streams', `${streams}`, '--streams-per-client', `${each}`];
export const schedule = [
  '--warm-up',
  `${warmUp}`,
  '--rate',
  '50/s',
  '--drain',
  '5s',
  '--ramp-rate',
  '500/s',
  '--seed',
  '7919',
];
export const faultless = { refused: 0, failed: 0, lost: 0, duplicate: 0, outOfOrder: 0, late: 0, wrongStream: 0 };
