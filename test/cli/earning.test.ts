/** What the command line says of a business whose sales don't earn points. */
import { expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

/** The commands that an output advises, as words. */
const advised = (out: string) =>
  [...out.matchAll(/^ {2}.*: loyalty (.*)$/gm)].map(([, words = ""]) => words.split(" "));

it("says after each step what is missing, with commands that work as they stand, until sales earn", async () => {
  const { data: business } = await cli.json([
    ...["business", "create", "--name", "Café", "--currency", "USD"],
  ]);
  const id = String(business.business_id);
  const doctor = async () => (await cli.run(["doctor"])).out;
  expect(await doctor()).toContain(
    `warn  points    sales of business ${id}, Café, do not earn yet: points are switched off, and no program is the ` +
      `default; see: loyalty reward-settings get --business ${id}\n`,
  );
  const create = ["program", "create", "--business", id, "--name", "Club"];
  let out = await cli.ok([...create, "--maximum-points-per-order", "0"]);
  const program = /program_id +(\d+)/.exec(out)?.[1];
  expect(out.slice(out.indexOf("Sales"))).toBe(
    "Sales do not earn yet:\n" +
      `  points are switched off: loyalty reward-settings update --business ${id} --enable-rp\n` +
      `  program ${program} has no rate: loyalty program update ${program} --business ${id} --earn-points 1 --earn-amount 100\n` +
      `  program ${program} allows 0 points for each sale: loyalty program update ${program} --business ${id} ` +
      "--maximum-points-per-order 500\n" +
      `  no program is the default: loyalty reward-settings rules-update --business ${id} --default-program ${program}\n`,
  );
  const steps = advised(out);
  for (const [index, words] of steps.entries()) {
    out = await cli.ok(words);
    const { length } = advised(out);
    if (words[0] === "program") expect(length).toBe(steps.length - index - 1);
  }
  const earns = "Sales earn 1 point for each 1.00 USD, at most 500 for each sale.\n";
  expect(out.endsWith(`\n${earns}`)).toBe(true);
  expect(await cli.ok(["reward-settings", "get", "--business", id])).toContain(earns);
  expect(await doctor()).not.toContain("Café");

  const { businessId } = { businessId: business.business_id as number };
  const till = await world.integration({ businessId } as never);
  const { location_id } = await operatorWrite(world, "/op/locations/create", {
    business_id: businessId,
    name: "Shop",
  });
  const contact_id = await world.member(newPerson(), till);
  const quote = await world.ask("/sp/sales/quote", { contact_id, location_id, amount: 1990 }, till);
  expect(quote.body.data.points_earned).toBe(19);

  expect(await cli.ok(["program", "delete", String(program), "--business", id, "--yes"])).toContain(
    `Sales do not earn yet:\n  no program is the default: loyalty reward-settings rules-update --business ${id} --default-program ID\n`,
  );
});

it("says nothing of it to programs", async () => {
  const at = ["--business", String(world.home.businessId)];
  expect(await cli.ok(["reward-settings", "get", ...at, "--json"])).not.toContain("Sales");
});
