/** The warnings and errors in the log of a service, for the message of a failed test. */

/** Of each kind the first line, and how many there were. A fault that happened once is often the cause, among hundreds of others. */
export class Faults {
  readonly #kinds = new Map<string, { readonly line: string; count: number }>();
  /** The beginning of a line that has not ended. */
  #rest = "";

  /** Takes the next part of the log, which may end within a line. */
  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!/"level":[456]0/.test(line)) continue;
      const kind = kindOf(line);
      const known = this.#kinds.get(kind);
      if (known === undefined) this.#kinds.set(kind, { line, count: 1 });
      else known.count++;
    }
  }

  /** The lines, in the order in which their kinds began. */
  list(): string[] {
    return Array.from(this.#kinds.values(), ({ line, count }) =>
      count === 1 ? line : `${line} (${count} like it)`,
    );
  }

  /** Empties the list. @returns what it was */
  take(): string[] {
    const lines = this.list();
    this.#kinds.clear();
    return lines;
  }
}

/** What a line has in common with others of its kind: the level, the messages and the code, but no numbers in the messages. */
function kindOf(line: string): string {
  const facts = line.matchAll(/"(?:level|code)":"?\w+|"(?:message|msg)":"[^"]*/g);
  return Array.from(facts, ([fact]) => (/^"m/.test(fact) ? fact.replaceAll(/\d+/g, "") : fact)).join();
}
