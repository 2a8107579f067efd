import { expect, it } from "vitest";
import { useDatabase } from "../test/support/database.ts";
import { hashSecret } from "./credentials/keys.ts";
import { acceptInvitation } from "./database/access/operators.ts";
import { inviteFirstOwner } from "./first-owner.ts";

const database = useDatabase();

it("is invited for the console, until operators have accounts", async () => {
  const first = await inviteFirstOwner(database.sql);
  const second = await inviteFirstOwner(database.sql);
  expect([first, second]).toEqual([expect.stringMatching(/^loyinv_/), expect.stringMatching(/^loyinv_/)]);
  const accept = (token = "") => acceptInvitation(database.sql, hashSecret(token), "a hash");
  expect([await accept(first), await accept(second)]).toEqual([false, true]);
  expect(await inviteFirstOwner(database.sql)).toBeUndefined();
});
