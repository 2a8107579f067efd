import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addFromFile } from "./connection.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "loyalty-environment-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

it("adds what the environment does not say, and nothing that changes how Node works", () => {
  const file = join(directory, ".env");
  writeFileSync(
    file,
    'LOYALTY_URL="http://a"\nPORT=9\nLOYALTY_OPERATOR_KEY_FILE=/etc/shadow\nNODE_TLS_REJECT_UNAUTHORIZED=0\nHTTPS_PROXY=http://b\n',
  );
  const environment = { PORT: "8" };
  expect([...addFromFile(environment, file)]).toEqual(["LOYALTY_URL"]);
  expect(environment).toEqual({ PORT: "8", LOYALTY_URL: "http://a" });
});

it("need not be there, but must be readable", () => {
  expect(addFromFile({}, join(directory, "none")).size).toBe(0);
  expect(() => addFromFile({}, directory)).toThrow(/can't be read \(EISDIR\)/);
});
