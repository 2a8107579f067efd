import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readEnvironmentFile } from "./environment-file.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "loyalty-environment-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function read(content: string | Buffer) {
  const file = join(directory, ".env");
  writeFileSync(file, content);
  return readEnvironmentFile(file);
}

it("begins with the first setting, also behind a byte order mark", () => {
  expect(read("\ufeffPORT=9090\r\nHOST=::1\r\n")).toEqual({ PORT: "9090", HOST: "::1" });
});

it("is rejected in another encoding", () => {
  expect(() => read(Buffer.from("\ufeffPORT=9090\n", "utf16le"))).toThrow(
    /not in UTF-8\. Save it as UTF-8\.$/,
  );
});

it("names a setting without an equals sign, and quotes no value", () => {
  expect(() => read("PORT=1\nLOYALTY_SECRET s3cret\n")).toThrow(/a line without "=": LOYALTY_SECRET …$/);
});
