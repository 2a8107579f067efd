/** What a sign-in changes besides the session. */
import { expect, it, vi } from "vitest";
import type { SessionOperation } from "../../contract/operation.ts";
import type { PipelineParts } from "../parts.ts";
import { changeSession } from "./sign-in.ts";

it("makes the cached sessions be read again, and not the rights of partners", async () => {
  const [operatorWrote, sessionChanged] = [vi.fn(), vi.fn()];
  const parts = {
    checkBody: async () => ({ sent: {}, input: {} }),
    pools: { sql: { shareOf: () => undefined } },
    services: {},
    credentialEvents: { sessionChanged() {} },
    operatorWrote,
    sessionChanged,
  } as unknown as PipelineParts;
  const operation = {
    message: "Signed in.",
    errors: [],
    change: async () => ({
      data: {},
      event: "operator.signed_in",
      token: null,
      operator: { operator_id: 1, name: "anna" },
    }),
  } as unknown as SessionOperation;
  const credentials = { id: "a request", authorization: undefined, actor: undefined, address: "192.0.2.1" };
  expect((await changeSession(operation, credentials, () => ({}), parts)).status).toBe(200);
  expect(sessionChanged).toHaveBeenCalledOnce();
  expect(operatorWrote).not.toHaveBeenCalled();
});
