#!/usr/bin/env node
/**
 * Plays a till: records the purchases of a file as reward points, through the partner API alone. It can be
 * stopped at any moment and run again; ../README.md says why that is safe.
 */
import { readCredentials, UsageError } from "../credentials.mjs";
import { compare, sumOf } from "./agreement.mjs";
import { Api, RejectedError, UnreachableError } from "./api.mjs";
import { payWithCard } from "./card-payment.mjs";
import { showMember } from "./member.mjs";
import { help, readCustomers, readOptions } from "./options.mjs";
import { Progress } from "./progress.mjs";
import { creditsOf } from "./purchases.mjs";
import { findMembers, findMissing, readLedger, recordAll } from "./recording.mjs";
import { joinByCode, showCode } from "./referral.mjs";

/** @typedef {import("./purchases.mjs").Customer} Customer */

const shownDifferences = 20;

process.exitCode = await main();

/** @returns {Promise<number>} the exit status */
async function main() {
  try {
    const options = readOptions();
    if (options === "help") {
      process.stdout.write(help);
      return 0;
    }
    const act = actionOf(options);
    if (act !== undefined) {
      const { demoFile, patience: patienceSeconds } = options;
      const api = new Api({ ...(await readCredentials(demoFile)), patienceSeconds, onRetry: warn });
      for (const line of await act(api)) say(line);
      return 0;
    }
    const customers = await readCustomers(options.file);
    return await play(options, customers);
  } catch (error) {
    if (error instanceof UsageError) {
      warn(error.message);
      return 2;
    }
    if (error instanceof RejectedError || error instanceof UnreachableError) {
      warn(`${error.message}\nWhat is recorded stays recorded: run it again to go on from here.`);
      return 1;
    }
    throw error;
  }
}

/**
 * What is done with one member; undefined for a file of purchases.
 * @param {Exclude<ReturnType<typeof readOptions>, "help">} options
 * @returns {((api: Api) => Promise<string[]>) | undefined}
 */
function actionOf({ show, purchase, invite, person }) {
  if (purchase !== undefined) return (api) => payWithCard(api, purchase);
  if (person !== undefined) return (api) => joinByCode(api, person);
  if (invite !== undefined) return (api) => showCode(api, invite);
  return show === undefined ? undefined : (api) => showMember(api, show);
}

/**
 * @param {Exclude<ReturnType<typeof readOptions>, "help">} options
 * @param {Customer[]} customers
 */
async function play({ file, demoFile, atOnce, patience }, customers) {
  const startedAt = performance.now();
  const progress = new Progress(process.stderr);
  const api = new Api({
    ...(await readCredentials(demoFile)),
    patienceSeconds: patience,
    onRetry: (problem) => progress.problem(problem),
  });
  const credits = customers.flatMap(creditsOf);
  const purchases = customers.reduce((sum, customer) => sum + customer.purchases.length, 0);
  say(
    `${file}: ${purchases} purchases of ${customers.length} customers, ${purchases - credits.length} of them below ` +
      `a dollar; ${credits.length} credits, ${sumOf(credits)} points.`,
  );
  const missing = await findMissing(api, customers);
  progress.begin(missing.members + missing.credits);
  try {
    await recordAll(api, missing, atOnce, () => progress.step());
  } finally {
    progress.end();
  }
  say(`Recorded now: ${missing.members} members, ${missing.credits} credits.`);
  const { entries, points, differences } = compare(customers, await findMembers(api), await readLedger(api));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  say(`Took ${seconds} s; slowed down ${api.timesLimited} times, sent again ${api.retries} times.`);
  if (differences.length > 0) {
    warnOfDifferences(differences);
    return 1;
  }
  say(
    `Agrees with the file: ${customers.length} members, each balance, ${entries} entries, ${points} points.`,
  );
  return 0;
}

/** @param {string[]} differences */
function warnOfDifferences(differences) {
  warn(`Does not agree with the file, ${differences.length} differences:`);
  for (const difference of differences.slice(0, shownDifferences)) warn(`  ${difference}`);
  if (differences.length > shownDifferences) warn(`  and ${differences.length - shownDifferences} more`);
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string} line */
function warn(line) {
  process.stderr.write(`${line}\n`);
}
