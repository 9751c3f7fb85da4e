import { bisect } from 'simple-statistics';

/** The standard errors to either side that hold the truth with probability `level`; freedom is rounded down. */
export function studentReach(level: number, freedom: number): number {
  const whole = Math.max(1, Math.floor(freedom + 1e-9));
  const angle = bisect((at) => heldWithin(at, whole) - level, 0, Math.PI / 2, 100, 1e-13);
  return Math.sqrt(whole) * Math.tan(angle);
}

/** P(|t| < √freedom · tan(angle)) for integer freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). */
function heldWithin(angle: number, freedom: number): number {
  const isOdd = freedom % 2 === 1;
  const cosine = Math.cos(angle);
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let step = isOdd ? 2 : 1; step < freedom; step += 2) {
    sum += term;
    term *= (cosine ** 2 * step) / (step + 1);
  }
  return isOdd ? (angle + Math.sin(angle) * sum) * (2 / Math.PI) : Math.sin(angle) * sum;
}
