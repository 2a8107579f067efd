import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DemoFile, writeDemoFile } from "./file.ts";
import { demoSession } from "./session.ts";

const member = '{"success":true,"message":"","data":{"access_token":"t","contact_id":7},"meta":{}}';
const refusal = '{"success":false,"message":"No.","error":{"code":"rate_limited","details":{}}}';

/** Paths that were asked for, and what is answered to them. */
let asked: string[] = [];
let refused = "";
const server = createServer((request, response) => {
  asked.push(request.url ?? "");
  response.end(request.url === refused ? refusal : member);
});

let folder = "";
let demo = {} as DemoFile;
let file = "";

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  folder = await mkdtemp(join(tmpdir(), "loyalty-session it's-"));
  file = join(folder, "demo.json");
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  demo = { base_url, client_id: "a", client_secret: "b", location_ids: [4] } as unknown as DemoFile;
  await writeDemoFile(file, demo);
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
  refused = "";
});

function paste(session: string): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile("sh", ["-c", session], (_error, stdout, stderr) => resolve({ stdout, stderr }));
  });
}

const wholeSession = [
  ...["/sp/auth/token", "/sp/members/list", "/sp/members/create", "/sp/wallet/adjust"],
  ...["/sp/transactions/list", "/sp/members/list"],
];

describe("the session to paste", () => {
  it("goes through, wherever the file lies", async () => {
    expect(await paste(demoSession(file, demo))).toEqual({ stdout: `${member}\n`.repeat(4), stderr: "" });
    expect(asked).toEqual(wholeSession);
  });

  it.each([
    ["/sp/auth/token", 1],
    ["/sp/members/create", 3],
  ])(
    "shows an answer that says no, and stops where it needs what was refused: %s",
    async (path, requests) => {
      refused = path;
      const { stderr } = await paste(demoSession(file, demo));
      expect(stderr).toContain(refusal);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(asked).toEqual(wholeSession.slice(0, requests));
    },
  );

  it("has the functions of the README's quickstart", async () => {
    const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
    const [, functions = ""] = /^(demo\(\) \{.*?^\}\n)/ms.exec(demoSession("./data/demo.json", demo)) ?? [];
    const shown = functions.replace("'./data/demo.json'", "./data/demo.json");
    const [token, post] = shown.split(/^(?=post\(\))/m) as [string, string];
    expect(readme).toContain(`\`\`\`sh\n${token}\`\`\``);
    expect(readme).toContain(`\`\`\`sh\n${post}`);
  });
});
