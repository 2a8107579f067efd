/** Latencies in milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Every latency, to the microsecond: exact percentiles, at four bytes each. */
export class Latencies {
  #microseconds = new Uint32Array(1 << 16);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(milliseconds: number): void {
    if (this.#count === this.#microseconds.length) {
      const larger = new Uint32Array(this.#count * 2);
      larger.set(this.#microseconds);
      this.#microseconds = larger;
    }
    this.#microseconds[this.#count++] = milliseconds * 1000;
  }

  summary(): LatencySummary {
    const sorted = this.#microseconds.subarray(0, this.#count).sort();
    const at = (share: number) => (sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0) / 1000;
    let sum = 0;
    for (const value of sorted) sum += value;
    return {
      count: sorted.length,
      mean: sorted.length === 0 ? 0 : sum / sorted.length / 1000,
      p50: at(0.5),
      p90: at(0.9),
      p99: at(0.99),
      max: at(1),
    };
  }
}
