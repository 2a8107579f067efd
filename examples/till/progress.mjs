/** Says on standard error how far the work is: one line, rewritten on a terminal, printed now and then elsewhere. */

const terminalEveryMilliseconds = 200;
const elsewhereEveryMilliseconds = 5_000;
const problemsEveryMilliseconds = 5_000;
const clearLine = "\r\u001b[2K";

export class Progress {
  #stream;
  #total = 0;
  #done = 0;
  #startedAt = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #problemToldAt = Number.NEGATIVE_INFINITY;

  /** @param {NodeJS.WriteStream} stream */
  constructor(stream) {
    this.#stream = stream;
  }

  /** @param {number} total how many requests there are to do */
  begin(total) {
    this.#total = total;
    this.#startedAt = performance.now();
    const every = this.#stream.isTTY ? terminalEveryMilliseconds : elsewhereEveryMilliseconds;
    this.#timer = setInterval(() => this.#print(), every);
    this.#timer.unref();
  }

  step() {
    this.#done += 1;
  }

  /** Prints the last line; none when there was nothing to do. */
  end() {
    clearInterval(this.#timer);
    if (this.#total === 0) return;
    this.#print();
    if (this.#stream.isTTY) this.#stream.write("\n");
  }

  /** Tells of a problem that is being dealt with, not of each request that has it. @param {string} problem */
  problem(problem) {
    if (performance.now() - this.#problemToldAt < problemsEveryMilliseconds) return;
    this.#problemToldAt = performance.now();
    this.#stream.write(`${this.#stream.isTTY ? clearLine : ""}${problem}; trying again\n`);
  }

  #print() {
    const rate = (this.#done / (performance.now() - this.#startedAt)) * 1000;
    const left = rate > 0 ? `${Math.ceil((this.#total - this.#done) / rate)} s left` : "time left unknown";
    const line = `${this.#done} of ${this.#total} recorded, ${rate.toFixed(0)} a second, ${left}`;
    this.#stream.write(this.#stream.isTTY ? clearLine + line : `${line}\n`);
  }
}
