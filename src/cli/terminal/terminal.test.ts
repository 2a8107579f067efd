import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { confirm } from "./terminal.ts";

function terminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  return { input, output };
}

describe("a question", () => {
  it.each(["y", "Y", "yes"])("is answered with %s", async (text) => {
    const asking = terminal(true);
    asking.input.write(`${text}\n`);
    await confirm("Delete tier 5, Gold", "It is gone then.", asking);
    expect(String(asking.output.read())).toContain("Delete tier 5, Gold? It is gone then. [y/N] ");
  });

  it.each(["n\n", "\n", "yesterday\n", ""])("is not answered with %j", async (text) => {
    const asking = terminal(true);
    asking.input.end(text);
    await expect(confirm("Delete tier 5", "It is gone then.", asking)).rejects.toMatchObject({
      exitCode: 1,
      message: "Nothing was done.",
    });
  });

  it("is not asked without a terminal, and says what would be done", async () => {
    await expect(confirm("Delete tier 5, Gold", "It is gone then.", terminal(false))).rejects.toMatchObject({
      exitCode: 2,
      advice: [
        "It would: Delete tier 5, Gold. It is gone then.",
        "If that is what you want, run it again with --yes.",
      ],
    });
  });
});
