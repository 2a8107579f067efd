import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { confirm, progressText, startProgress, type Terminal, wrapText } from "./terminal.ts";

function terminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  return { input, output };
}

describe("a question", () => {
  it.each(["y", "Y", "yes"])("is answered with %s", async (text) => {
    const asking = terminal(true);
    asking.input.write(`${text}\n`);
    await confirm("Delete tier 5, Gold", "It is gone then.", undefined, asking.input, asking.output);
    expect(String(asking.output.read())).toContain("Delete tier 5, Gold? It is gone then. [y/N] ");
  });

  it.each(["n\n", "\n", "yesterday\n", ""])("is not answered with %j", async (text) => {
    const asking = terminal(true);
    asking.input.end(text);
    await expect(
      confirm("Delete tier 5", "It is gone then.", undefined, asking.input, asking.output),
    ).rejects.toMatchObject({
      exitCode: 1,
      message: "Nothing was done.",
    });
  });

  it("is not answered when nobody does in time", async () => {
    const { input, output } = terminal(true);
    await expect(confirm("Delete tier 5", "It is gone then.", 10, input, output)).rejects.toMatchObject({
      exitCode: 1,
      message: "Nothing was done.",
    });
  });

  it("is not asked without a terminal, and says what would be done", async () => {
    const { input, output } = terminal(false);
    await expect(
      confirm("Delete tier 5, Gold", "It is gone then.", undefined, input, output),
    ).rejects.toMatchObject({
      exitCode: 2,
      advice: [
        "It would: Delete tier 5, Gold. It is gone then.",
        "To do that, run the command again with --yes.",
      ],
    });
  });
});

function recorder(interactive: boolean): { terminal: Terminal; written: string[] } {
  const written: string[] = [];
  const write = async (text: string) => void written.push(text);
  const line = (text: string) => void written.push(`${text}\n`);
  return {
    terminal: { interactive, width: interactive ? 80 : undefined, style: (_, text) => text, line, write },
    written,
  };
}

describe("progress", () => {
  it("says how much is done, how fast, and how long it still takes", () => {
    expect(progressText(84_000, 0.42, 4, "lines")).toBe(
      "[██████████──────────────] 42% 84,000 lines, 21,000/s, 5.5 s left",
    );
    expect(progressText(200_000, 1, 10, "lines")).toBe(
      "[████████████████████████] 100% 200,000 lines, 20,000/s",
    );
    expect(progressText(500, undefined, 2, "members")).toBe("500 members, 250/s");
    expect(progressText(0, 0, 0, "lines")).toBe("[────────────────────────] 0% 0 lines, 0/s");
  });

  it("is one line of a terminal, drawn ten times a second at most, and gone at the end", () => {
    const { terminal, written } = recorder(true);
    let now = 0;
    const progress = startProgress(terminal, "lines", () => now);
    for (now = 1000; now < 1250; now += 10) progress.at(now, undefined);
    expect(written).toEqual([
      "\r\x1b[K1,000 lines, 1,000/s",
      "\r\x1b[K1,100 lines, 1,000/s",
      "\r\x1b[K1,200 lines, 1,000/s",
    ]);
    progress.end();
    expect(written.at(-1)).toBe("\r\x1b[K");
  });

  it("is not shown outside of a terminal", () => {
    const { terminal, written } = recorder(false);
    const progress = startProgress(terminal, "lines");
    progress.at(1, 0.5);
    progress.end();
    expect(written).toEqual([]);
  });
});

it("breaks text at its blanks, within the width of the terminal", () => {
  expect(wrapText("one two three", 9)).toBe("one two\nthree");
  expect(wrapText("one two three", 9, "  5  ")).toBe("  5  one\n     two\n     three");
  expect(wrapText("one two three", undefined, "  5  ")).toBe("  5  one two three");
  expect(wrapText("人人人 人人人 人人人", 13)).toBe("人人人 人人人\n人人人");
  expect(wrapText("", 9)).toBe("");
});
