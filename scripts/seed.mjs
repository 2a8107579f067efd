#!/usr/bin/env node
/** `npm run seed`: imports members with made-up names into a business of the running service, as `loyalty import members` does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";

const help = `Usage: npm run seed [-- --members <number>] [-- --business <id>]

Imports members into the service that runs here, which npm run dev or npm start has started. Repeat it, and nothing changes; give a larger
number, and only the others are added.

  --members <number>  how many; default 100000
  --business <id>     the business; default 1, the demo business
`;
const { values } = parseArgs({
  options: {
    members: { type: "string", default: "100000" },
    business: { type: "string", default: "1" },
    help: { type: "boolean" },
  },
});
const members = Number(values.members);
if (values.help || !Number.isInteger(members) || members < 1) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 2);
}
const firstNames =
  "Ana Maria Carmen Lucía Sofía Elena Noah Emma Aoife Siobhán Layla Priya Jürgen Łukasz 葵 Zoë".split(" ");
const lastNames =
  "García López Müller Schmidt Murphy O'Brien Kavanagh Haddad Raghunathan Rossi Smith Nowak 小林 Silva".split(
    " ",
  );

const into = ["--business", values.business, "--amount-unit", "minor"];
const command = spawn(
  process.execPath,
  [join(import.meta.dirname, "../bin/loyalty.mjs"), "import", "members", "-", ...into],
  { stdio: ["pipe", "inherit", "inherit"] },
);
const ended = once(command, "exit");
command.stdin.on("error", () => undefined);
command.stdin.write("external_ref,first_name,last_name,phone_number,email,wallet_balance,points_balance\n");
for (let n = 1; n <= members; n++) {
  const first = firstNames[n % firstNames.length];
  const last = lastNames[Math.floor(n / firstNames.length) % lastNames.length];
  const line = `seed-${n},${first},${last},+34${600_000_000 + n},seed.${n}@example.com,${(n % 50) * 100},${n % 400}\n`;
  if (!command.stdin.write(line)) await Promise.race([once(command.stdin, "drain"), ended]);
}
command.stdin.end();
[process.exitCode] = await ended;
