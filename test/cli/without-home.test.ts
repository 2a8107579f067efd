/** The command for an account without a home directory, as in some containers. */
import { expect, it, vi } from "vitest";
import { useCli } from "../support/cli.ts";
import { testOperatorKey, useWorld } from "../support/world.ts";

vi.mock("node:os", async (original) => ({
  ...(await original<typeof import("node:os")>()),
  homedir() {
    throw new Error("ERR_SYSTEM_ERROR: uv_os_homedir returned ENOENT");
  },
}));

const world = useWorld();
const cli = useCli();

it("works with a key, and says what a login needs", async () => {
  const environment = { HOME: "", LOYALTY_URL: world.baseUrl };
  await cli.ok(["status"], { environment: { ...environment, LOYALTY_OPERATOR_KEY: testOperatorKey } });
  const { code, err } = await cli.run(["status"], { environment });
  expect(code).not.toBe(0);
  expect(err).toContain("LOYALTY_OPERATOR_KEY");
  const login = await cli.run(["login"], { environment, input: "key\n" });
  expect(login.err).toContain("Set XDG_CONFIG_HOME to a directory of this account");
});
