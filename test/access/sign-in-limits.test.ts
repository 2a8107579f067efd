/** Failed sign-ins are limited, and don't keep anybody out. */
import { expect, it } from "vitest";
import { asOperator } from "../support/operator-requests.ts";
import { makeOperator, testPassword } from "../support/operators.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_FAILED_TOKEN_LIMIT: "10" });

const signIn = (name: string, password: string) => world.call("/op/session/create", { name, password });

it("is never blocked by the failures of others, which are limited and in the audit log", async () => {
  const { name } = await makeOperator(world);
  const codes: string[] = [];
  for (let tries = 0; tries < 15; tries++) codes.push((await signIn(name, "wrong password")).body.error.code);
  expect(codes).toContain("rate_limited");
  expect((await signIn(name, testPassword)).status).toBe(200);
  const log = () => asOperator(world, "/op/audit/list", { event: "operator_session.rejected", per_page: 1 });
  await expect.poll(async () => (await log()).body.data[0]?.after, { interval: 50 }).toEqual({ name });
  expect((await log()).body.data[0]).toMatchObject({ actor_kind: "service", actor_name: "unknown" });
});

it("does not count sessions that have ended", async () => {
  const token = `loyses_${"a".repeat(43)}`;
  for (let tries = 0; tries < 15; tries++) {
    expect((await world.call("/op/session/get", {}, { token })).body.error.code).toBe("unauthorized");
  }
});
