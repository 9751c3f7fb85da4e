import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** What a target sends to one client, and where it is cut into writes. */
export interface RandomStream {
  bytes: Buffer;
  cuts: readonly number[];
}

/** Streams of frames behind an upgrade, some of which break RFC 6455; the same for the same seed. */
export class RandomStreams {
  readonly #random;

  constructor(seed: number) {
    this.#random = xoroshiro128plus(seed);
  }

  #upTo(most: number): number {
    return uniformInt(this.#random, 0, most);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#upTo(list.length - 1)] as T;
  }

  next(): RandomStream {
    const frames = Array.from({ length: this.#upTo(12) }, () => this.#message());
    const bytes = Buffer.concat(frames.flat());
    const cuts = Array.from({ length: this.#upTo(5) }, () => this.#upTo(bytes.length));
    return { bytes, cuts: cuts.sort((one, other) => one - other) };
  }

  #message(): Buffer[] {
    const kind = this.#upTo(99);
    if (kind < 30) return [frame(0x81, this.#delivery())];
    if (kind < 45) return [frame(0x81, this.#text())];
    if (kind < 55) return [frame(0x82, this.#noise())];
    if (kind < 70) return this.#fragments();
    if (kind < 80) return [frame(this.#pick([0x89, 0x8a]), this.#noise(this.#upTo(125)))];
    if (kind < 88) return [this.#close()];
    return [this.#violation()];
  }

  #delivery(): Buffer {
    const padding = 'x'.repeat(this.#pick([0, 1, 90, 110, 300, 65_536, this.#upTo(70_000)]));
    const digits = this.#pick(['007', '013', '01', 'x17']);
    return Buffer.from(this.#pick([`#n${digits}${padding}`, `${padding}#n${digits}`, `#n#n${digits}`]));
  }

  /** Around the lengths at which a header grows, and with bytes that are no UTF-8. */
  #text(): Buffer {
    const whole = this.#pick(['é', '€', '𝄞', 'a', '']).repeat(this.#pick([1, 31, 42, 63, 126, 16_384]));
    const broken = this.#pick(['', '', '', 'c3', 'eda080', 'f4908080', 'c0af', 'e28280', '80', 'f0808080', 'ff']);
    return Buffer.concat([Buffer.from(whole), Buffer.from(broken, 'hex')]);
  }

  #noise(length = this.#pick([0, 1, 125, 126, 127, 65_535, 65_536, this.#upTo(360_000)])): Buffer {
    return Buffer.alloc(length, this.#upTo(255));
  }

  #fragments(): Buffer[] {
    const whole = this.#pick([() => this.#delivery(), () => this.#text(), () => this.#noise()])();
    const first = this.#pick([0x01, 0x02]);
    const count = 1 + this.#upTo(4);
    const size = Math.ceil(whole.length / count);
    const parts = Array.from({ length: count }, (_, i) => whole.subarray(i * size, (i + 1) * size));
    return parts.flatMap((part, i) => {
      const last = i === count - 1 ? 0x80 : 0;
      const fragment = frame((i === 0 ? first : 0x00) | last, part);
      return this.#upTo(3) === 0 && last === 0 ? [fragment, frame(0x89, this.#noise(5))] : [fragment];
    });
  }

  #close(): Buffer {
    const code = this.#pick([1000, 1001, 1004, 1005, 1006, 1011, 1015, 2999, 3000, 4999, 5000, 0]);
    const reason = this.#pick(['', 'bye', 'é']);
    const payload = Buffer.concat([Buffer.of(code >> 8, code & 255), Buffer.from(reason), Buffer.from(this.#bad())]);
    return frame(0x88, payload.subarray(0, this.#pick([0, 1, 2, payload.length, payload.length])));
  }

  #bad(): Buffer {
    return this.#pick([Buffer.of(), Buffer.of(), Buffer.of(0xc3)]);
  }

  #violation(): Buffer {
    const some = this.#noise(this.#upTo(130));
    const broken = [0xc1, 0xa1, 0x91, 0x83, 0x8b, 0x09, 0x08, 0x80, 0x00].map((first) => frame(first, some));
    const masked = Buffer.concat([Buffer.of(0x81, 0x83), Buffer.alloc(7)]);
    const huge = Buffer.from(
      this.#pick(['827f0000000001000001', '827fffffffffffffffff', '827f8000000000000000']),
      'hex',
    );
    const long = Buffer.concat([Buffer.of(0x89, 126, 0, 126), Buffer.alloc(126)]);
    return this.#pick([...broken, masked, huge, long]);
  }
}

/** An unmasked frame whose first byte is `first`. */
function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
